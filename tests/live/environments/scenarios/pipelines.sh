#!/bin/bash
for ((i = 0; i < 10; i++)); do echo x | cat | wc -c >/dev/null; done
