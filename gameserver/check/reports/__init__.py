"""The forms of a report. Each is a function from a `CheckReport` to text, and touches nothing else.

text         for the terminal
html         one file for a browser
json_report  for programs
junit        for Jenkins, GitLab and GitHub
badge        a line for a README
words        what these share
"""
