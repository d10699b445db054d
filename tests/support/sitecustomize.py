"""Guard every process that a test starts, as the test's own process is guarded."""

import loopback

loopback.install()
