"""Is that server a good Airport server? A suite that asks as DuckDB's client does, and judges the answers.

It knows the protocol from its description alone and shares no code with our own server.
"""
