"""Commands that need not load Python anew: a process that belongs to a daemon has loaded everything and waits.

`front` is the end that a person starts: it imports next to nothing, hands its command line, folder, variables and
standard streams to the process that stands by, passes signals on, and ends as the command did. `server` is that
process: it makes a copy of itself (`fork`) for each command. `identity` says when the two may stand for each
other; wherever they may not, `front` says nothing and the command is done the ordinary way.
"""
