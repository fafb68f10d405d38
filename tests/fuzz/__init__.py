"""Cases nobody would write by hand, and what may come of them.

cases.py        the four kinds of cases: scenes, meshes, recordings, short runs; each from a seed
machines.py     scenes that are meant to be right
trees.py        scenes as plain data: changed with the schema in mind, written as XML or JSON
meshes.py       mesh files, right and damaged
recordings.py   animation files, right and damaged
damage.py       changes that know nothing of the format
odd.py          the numbers and texts that all of them use
judge.py        runs the command line on a case and says how it ended
shrink.py       makes a case that ended badly small
worker.py       a process that judges cases under limits of time and memory
driver.py       keeps workers busy and reports; python -m tests.fuzz, make fuzz
corpus/         small files, each of which once ended badly
"""
