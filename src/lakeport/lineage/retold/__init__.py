"""Statements that say of other tables what an earlier one said are answered from that answer.

Where the parser needs no second look (`shapes`), the binder mostly needs none either: what it makes of a
statement follows from its text and from what the registry knows of each name it asks for. So a
statement that is another one with other names of tables (`slots`), about which as much is known
(`telling`), has the same answer (`tale`, `drawing`) with its own names in the gaps (`gaps`).

Nobody is believed on trust: an answer is told, and a gap of it counts, only after another statement, with
another name there, was bound for itself and got the very answer that would have been told (`retelling`).
"""
