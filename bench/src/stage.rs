//! The files that the work is done on, made once: schemas in every spelling, and databases that have them.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

use crate::invocation::Invocation;
use crate::peers::Peers;
use crate::schema::Schema;

/// A scratch folder with the programs that work in it.
#[derive(Debug)]
pub(crate) struct Stage {
    folder: tempfile::TempDir,
    /// Our command line, a release build.
    pub(crate) ptah: PathBuf,
    /// A plain program over the same SQLite library that our provider links: `sql FILE < statements`.
    pub(crate) sql: PathBuf,
    /// The others.
    pub(crate) peers: Peers,
}

impl Stage {
    /// A stage in a new folder below `scratch`, which goes away with it.
    pub(crate) fn new(scratch: &Path, ptah: PathBuf, sql: PathBuf, peers: Peers) -> Result<Self> {
        std::fs::create_dir_all(scratch).with_context(|| format!("cannot make {}", scratch.display()))?;
        Ok(Self { folder: tempfile::tempdir_in(scratch)?, ptah, sql, peers })
    }

    /// A path in the scratch folder.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A new folder in the scratch folder.
    pub(crate) fn fresh(&self, name: &str) -> Result<PathBuf> {
        let folder = tempfile::Builder::new().prefix(name).tempdir_in(self.folder.path())?;
        Ok(folder.keep())
    }

    /// The schema of a size as SQL and as HCL, without and with the one change.
    pub(crate) fn write_schemas(&self, tables: usize) -> Result<Schemas> {
        let schema = Schema::of(tables);
        let write = |end: &str, text: String| -> Result<PathBuf> {
            let path = self.path(&format!("{tables}.{end}"));
            std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
            Ok(path)
        };
        Ok(Schemas {
            sql: write("sql", schema.sql())?,
            transaction: write("transaction.sql", schema.transaction())?,
            hcl: write("hcl", schema.hcl())?,
            changed_sql: write("changed.sql", schema.with_one_change().sql())?,
            changed_hcl: write("changed.hcl", schema.with_one_change().hcl())?,
        })
    }

    /// One of our commands on a database.
    pub(crate) fn ours(&self, command: [&str; 2], database: &Path) -> Invocation {
        let url = format!("sqlite://{}", database.display());
        Invocation::new(&self.ptah).args(command).args(["--db-url", &url])
    }

    /// A database that our run made, so that it remembers the proof.
    pub(crate) fn made_by_us(&self, tables: usize, schemas: &Schemas) -> Result<PathBuf> {
        let database = self.path(&format!("{tables}.ptah.db"));
        let apply = self.ours(["schema", "apply"], &database).arg("--schema-file").arg(&schemas.sql);
        apply.arg("--auto-approve").time()?;
        Ok(database)
    }

    /// The same schema in a database that has nothing of ours in it.
    pub(crate) fn made_plainly(&self, tables: usize, schemas: &Schemas) -> Result<PathBuf> {
        let database = self.path(&format!("{tables}.plain.db"));
        Invocation::new(&self.sql).arg(&database).stdin(&schemas.transaction).time()?;
        Ok(database)
    }
}

/// The files of one size.
#[derive(Debug)]
pub(crate) struct Schemas {
    /// The statements.
    pub(crate) sql: PathBuf,
    /// The statements as one transaction.
    pub(crate) transaction: PathBuf,
    /// The same schema for Atlas.
    pub(crate) hcl: PathBuf,
    /// With one column more.
    pub(crate) changed_sql: PathBuf,
    /// The same with one column more.
    pub(crate) changed_hcl: PathBuf,
}

/// Removes a database with everything that belongs to it, so that it can be made again.
pub(crate) fn remove_database(database: &Path) {
    for end in ["", "-wal", "-shm", "-journal"] {
        let mut name = database.as_os_str().to_owned();
        name.push(end);
        // Not there is as good as removed.
        let _ = std::fs::remove_file(PathBuf::from(name));
    }
}
