#!/usr/bin/python3
"""The live page in a browser, with dpm serve behind it: DPM_PROGRAM, DPM_SOURCE_DIR. Arguments: words in the names of wanted cases."""
import os
import sys

sys.dont_write_bytecode = True
import browser_suite
import served_cases
from browser_page import Page
from traces import Traces

sys.exit(browser_suite.run(served_cases, sys.argv[1:],
                           f"DPM_PROGRAM={os.environ['DPM_PROGRAM']} DPM_SOURCE_DIR={os.environ['DPM_SOURCE_DIR']} {sys.argv[0]}",
                           lambda browser, scratch: Page(browser, None, browser_suite.HERE, scratch), Traces))
