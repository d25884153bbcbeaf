"""Sign-in and rights of who asks: sessions, keys, passwords, the OpenID provider, and the one check
before every route."""
