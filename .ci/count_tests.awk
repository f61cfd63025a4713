# Reads ctest's JUnit results; prints how to run again what failed, why what was skipped was skipped, what was done less of
# ("REDUCED: what", in sanitizer builds), and as the last line "N passed, N failed, N skipped". Exit status 1 if anything failed
# or nothing ran.
#
# A test is skipped when it says so: it exits with its SKIP_RETURN_CODE, or one of its cases prints "SKIPPED: reason" (then
# the test counts as passed and the case as skipped). A test that could not be started at all has failed.

function attribute(name,    start, rest) {
  start = index($0, " " name "=\"")
  if (!start) return ""
  rest = substr($0, start + length(name) + 3)
  return substr(rest, 1, index(rest, "\"") - 1)
}

function plain(text) {
  gsub(/&lt;/, "<", text); gsub(/&gt;/, ">", text); gsub(/&quot;/, "\"", text); gsub(/&apos;/, "'", text)
  gsub(/&amp;/, "\\&", text)
  return text
}

/<testcase / {
  test = attribute("name")
  status = attribute("status")
  reasons = 0
}

/<skipped / && status == "notrun" {
  # ctest files both "it skipped itself" and "it could not be started" under notrun; only the first names a SKIP_ property.
  status = attribute("message") ~ /^SKIP_/ ? "skip" : "fail"
}

/SKIPPED: / {
  line = $0
  sub(/^.*SKIPPED: /, "", line)
  sub(/<\/system-out>.*$/, "", line)
  reason[++reasons] = plain(line)
}

/REDUCED: / {
  line = $0
  sub(/^.*REDUCED: /, "", line)
  sub(/<\/system-out>.*$/, "", line)
  if (!said[test, line]++) printf "reduced: %s: %s\n", test, plain(line)
}

/<\/testcase>/ {
  if (status == "run") {
    ++passed
    skipped += reasons
  } else if (status == "skip" || status == "disabled") {
    ++skipped
    if (!reasons) reason[++reasons] = "it gives no reason"
  } else {
    ++failed
    printf "failed: %s\n  run it alone: ctest --test-dir build/%s --output-on-failure -R '^%s$'\n", test, preset, test
  }
  if (status == "run" || status == "skip" || status == "disabled")
    for (i = 1; i <= reasons; ++i) printf "skipped: %s: %s\n", test, reason[i]
}

END {
  printf "%d passed, %d failed, %d skipped\n", passed, failed, skipped
  if (passed + failed + skipped == 0) exit 1  # no test matched: that is no success
  exit failed > 0
}
