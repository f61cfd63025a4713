document.title="DPM";
