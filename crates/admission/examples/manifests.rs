//! Writes `deploy/admission/`, `deploy/operator/`, `deploy/install.yaml` and the pages of the book that are made from the same
//! lists: `make manifests`.

use std::path::{Path, PathBuf};

fn main() -> std::io::Result<()> {
    let root = std::env::args_os().nth(1).map_or_else(|| PathBuf::from("."), PathBuf::from);
    write(&root.join("deploy/admission"), &ptah_admission::files())?;
    write(&root.join("deploy/operator"), &ptah_admission::operator_files())?;
    std::fs::write(root.join("deploy/install.yaml"), ptah_admission::install())?;
    std::fs::write(root.join("docs/operator/admission.md"), ptah_admission::page())?;
    std::fs::write(root.join("docs/operator/permissions.md"), ptah_admission::permissions())
}

fn write(folder: &Path, files: &[ptah_admission::File]) -> std::io::Result<()> {
    std::fs::create_dir_all(folder)?;
    files.iter().try_for_each(|file| std::fs::write(folder.join(&file.name), file.text()))
}
