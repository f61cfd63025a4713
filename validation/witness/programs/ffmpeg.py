"""ffmpeg makes a film, ffmpeg compresses it, md5sum: raw pictures through pipes."""

from stage import Stage
NEEDS = ["ffmpeg", "md5sum"]
SCRIPT = r"""
ffmpeg -nostdin -v error -f lavfi -i testsrc2=size=320x240:rate=25:duration={seconds} -f rawvideo -pix_fmt yuv420p - |
  ffmpeg -nostdin -v error -f rawvideo -pix_fmt yuv420p -s 320x240 -r 25 -i - -threads 2 -c:v mpeg4 -f avi -fflags +bitexact \
    -flags:v +bitexact - | md5sum
"""


def play(stage: Stage) -> None:
    (stage.folder / "script").write_text(SCRIPT.format(seconds=1 if stage.quick else 8))
    stage.note("sum", stage.run(["sh", stage.folder / "script"]))
