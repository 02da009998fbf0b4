//! Writes `deploy/admission/` and the page of the book that is made from the same lists: `make admission`.

use std::path::PathBuf;

fn main() -> std::io::Result<()> {
    let mut arguments = std::env::args_os().skip(1).map(PathBuf::from);
    let folder = arguments.next().unwrap_or_else(|| "deploy/admission".into());
    let page = arguments.next().unwrap_or_else(|| "docs/operator/admission.md".into());
    std::fs::create_dir_all(&folder)?;
    for file in ptah_admission::files() {
        std::fs::write(folder.join(&file.name), file.text())?;
    }
    std::fs::write(page, ptah_admission::page())
}
