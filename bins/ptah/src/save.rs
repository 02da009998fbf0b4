//! Writing a file so that nobody ever sees half of it, and another plan is never overwritten.

use std::io::Write as _;
use std::path::Path;

use ptah_plan::document::read_file;

use crate::failure::Failure;

/// Writes a plan's bytes into a file.
///
/// **Guarantees.** The file holds either what it held or all of the plan. A file that is there is replaced only by the
/// same plan; anything else in its place stays.
pub fn plan(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    match std::fs::symlink_metadata(path) {
        Ok(_) if std::fs::read(path).is_ok_and(|there| is_the_same(&there, bytes)) => return Ok(()),
        Ok(_) => {
            return Err(Failure::new("file-exists", format!("{} is there and holds something else", path.display()))
                .hint("move it away, or give another name with --name or --output"));
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
        Err(_) => return Err(cannot(path)),
    }
    write(path, bytes).map_err(|_| cannot(path))
}

/// Whether both are one plan: a plan is known by its ID, and its bytes cannot differ then unless one was changed.
fn is_the_same(there: &[u8], bytes: &[u8]) -> bool {
    let id = |bytes: &[u8]| read_file(bytes).ok().map(|plan| plan.head().plan_id.clone());
    there == bytes || (id(there).is_some() && id(there) == id(bytes))
}

fn cannot(path: &Path) -> Failure {
    Failure::new("file", format!("{} cannot be written", path.display()))
        .hint("check that the folder is there, and its permissions")
}

/// A file beside it, made durable, then given the name. A link takes its place only if nothing is there by now.
fn write(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let folder = path.parent().filter(|f| !f.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let name = format!(".ptah-{}.tmp", uuid::Uuid::now_v7());
    let temporary = folder.join(name);
    let written = (|| {
        let mut file = std::fs::OpenOptions::new().write(true).create_new(true).open(&temporary)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        std::fs::hard_link(&temporary, path)
    })();
    let removed = std::fs::remove_file(&temporary);
    written?;
    removed?;
    // The name is as durable as the bytes only once the folder is.
    std::fs::File::open(folder)?.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_written_whole_and_nothing_else_is_left() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.plan.json");
        plan(&path, b"{}\n").unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"{}\n");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn what_is_there_is_never_overwritten_by_another_plan() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.plan.json");
        std::fs::write(&path, b"mine").unwrap();
        assert_eq!(plan(&path, b"{}\n").unwrap_err().code, "file-exists");
        assert_eq!(std::fs::read(&path).unwrap(), b"mine");
        assert!(plan(&path, b"mine").is_ok());
        let link = folder.path().join("link");
        std::os::unix::fs::symlink(folder.path().join("nowhere"), &link).unwrap();
        assert_eq!(plan(&link, b"{}\n").unwrap_err().code, "file-exists");
        assert_eq!(plan(&folder.path().join("no/folder"), b"{}\n").unwrap_err().code, "file");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2);
    }
}
