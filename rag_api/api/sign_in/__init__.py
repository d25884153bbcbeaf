"""Who asks, and what they may ask for: sessions, keys, passwords, the OpenID provider, and the one check before every route."""
