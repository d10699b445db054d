"""HTTP: requests behind one seam, with deadlines of wall clock."""
