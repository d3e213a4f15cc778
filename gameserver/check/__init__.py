"""`gameserver check`: plays a client through scenarios on a server of its own, and reports what an event would break.

report   the values of a whole report
reports  the forms in which people and programs read one
"""
