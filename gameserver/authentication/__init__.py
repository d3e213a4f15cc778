"""Names and secrets: who may come in under which name.

roster               names bound to secrets
secret_throttle      how many wrong secrets a connection may give, and the names under attack
lookalikes           names outside ASCII that look like another name
unicode_names        the Unicode tables behind that, imported when they are needed
"""
