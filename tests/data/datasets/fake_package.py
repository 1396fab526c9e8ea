"""A package as pip would leave it, small: some files and the record that lists them."""


def install(site, name, files):
    """Write files {path: text} and a dist-info folder for `name` below the folder `site`."""
    info = site / f"{name}-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    for path, text in files.items():
        (site / path).parent.mkdir(parents=True, exist_ok=True)
        (site / path).write_text(text, encoding="utf-8")
    listed = [*files, f"{info.name}/METADATA", f"{info.name}/RECORD"]
    (info / "RECORD").write_text("".join(f"{path},,\n" for path in listed))
    # importing such a package would be a mistake: its dependencies are heavy or absent
    (site / name).mkdir(exist_ok=True)
    (site / name / "__init__.py").write_text("raise ImportError('must not be imported')\n")
