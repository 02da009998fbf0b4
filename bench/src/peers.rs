//! The other tools: which are there, and how each is told to do the work.

use std::path::{Path, PathBuf};

use crate::invocation::Invocation;

/// The tools that were found.
#[derive(Clone, Debug, Default)]
pub(crate) struct Peers {
    /// The Atlas library, behind a small program of ours.
    pub(crate) atlas: Option<PathBuf>,
    /// A runner of migrations, in Go.
    pub(crate) goose: Option<PathBuf>,
    /// A host on `go-plugin`, and a provider of our contract on the same.
    pub(crate) go_plugin: Option<(PathBuf, PathBuf)>,
    /// A runner of migrations, in Rust.
    pub(crate) sqlx: Option<PathBuf>,
    /// A runner of migrations, in Rust.
    pub(crate) diesel: Option<PathBuf>,
    /// The shell of SQLite.
    pub(crate) shell: Option<PathBuf>,
    /// Peers that are not there, each with the reason, as the script that builds them found.
    pub(crate) missing: Vec<(String, String)>,
}

impl Peers {
    /// Looks into the folder that `peers.sh` fills, and for the shell on the path.
    pub(crate) fn find(folder: &Path) -> Self {
        let missing = std::fs::read_to_string(folder.join("missing.txt")).unwrap_or_default();
        let missing: Vec<(String, String)> = missing
            .lines()
            .filter_map(|line| line.split_once('\t'))
            .map(|(name, why)| (name.to_owned(), why.to_owned()))
            .collect();
        let wanted = |name: &str| !missing.iter().any(|(missing, _)| missing == name);
        let built = |name: &str| Some(folder.join("bin").join(name)).filter(|path| wanted(name) && path.is_file());
        Self {
            atlas: built("atlas"),
            goose: built("goose"),
            go_plugin: built("go-plugin-host").filter(|_| wanted("go-plugin")).zip(built("go-plugin-provider")),
            sqlx: built("sqlx"),
            diesel: built("diesel"),
            shell: on_path("sqlite3"),
            missing,
        }
    }

    /// Atlas reading a database.
    pub(crate) fn inspect(&self, database: &Path) -> Option<(String, Invocation)> {
        let atlas = self.atlas.as_ref()?;
        Some(("atlas".to_owned(), Invocation::new(atlas).arg("inspect").arg(database)))
    }

    /// Atlas planning, or with `carry_out` also making, the changes to a database.
    pub(crate) fn change(&self, database: &Path, hcl: &Path, carry_out: bool) -> Option<(String, Invocation)> {
        let atlas = self.atlas.as_ref()?;
        let word = if carry_out { "apply" } else { "plan" };
        Some(("atlas".to_owned(), Invocation::new(atlas).arg(word).arg(database).arg(hcl)))
    }

    /// The runners of migrations that are there, each on its own folder below `migrations`, with one migration in it.
    pub(crate) fn runners(&self, database: &Path, migrations: &Path) -> Vec<(String, Invocation)> {
        let goose = self.goose.as_ref().map(|goose| {
            let folder = migrations.join("goose");
            ("goose", Invocation::new(goose).arg("-dir").arg(folder).arg("sqlite3").arg(database).arg("up"))
        });
        let sqlx = self.sqlx.as_ref().map(|sqlx| {
            let url = format!("sqlite://{}?mode=rwc", database.display());
            let told = Invocation::new(sqlx).args(["migrate", "run", "--source"]).arg(migrations.join("sqlx"));
            ("sqlx", told.args(["--database-url", &url]))
        });
        let diesel = self.diesel.as_ref().map(|diesel| {
            let told = Invocation::new(diesel).args(["migration", "run", "--migration-dir"]);
            ("diesel", told.arg(migrations.join("diesel")).arg("--database-url").arg(database))
        });
        [goose, sqlx, diesel].into_iter().flatten().map(|(name, told)| (name.to_owned(), told)).collect()
    }

    /// Writes one migration with these statements for each runner.
    pub(crate) fn write_migrations(migrations: &Path, sql: &str) -> std::io::Result<()> {
        let files = [
            ("goose/00001_all.sql", format!("-- +goose Up\n{sql}")),
            ("sqlx/0001_all.sql", sql.to_owned()),
            ("diesel/20260000000001_all/up.sql", sql.to_owned()),
            ("diesel/20260000000001_all/down.sql", "SELECT 1;\n".to_owned()),
        ];
        for (name, text) in files {
            let path = migrations.join(name);
            std::fs::create_dir_all(path.parent().unwrap_or(migrations))?;
            std::fs::write(path, text)?;
        }
        Ok(())
    }
}

fn on_path(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(program)).find(|file| file.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_peer_that_is_reported_missing_is_not_used_although_an_old_one_lies_there() -> std::io::Result<()> {
        let folder = tempfile::tempdir()?;
        std::fs::create_dir(folder.path().join("bin"))?;
        for name in ["atlas", "goose"] {
            std::fs::write(folder.path().join("bin").join(name), "")?;
        }
        std::fs::write(folder.path().join("missing.txt"), "goose\tnot wanted\n")?;
        let peers = Peers::find(folder.path());
        assert!(peers.atlas.is_some() && peers.goose.is_none() && peers.sqlx.is_none());
        assert_eq!(peers.missing, [("goose".to_owned(), "not wanted".to_owned())]);
        Ok(())
    }

    #[test]
    fn every_runner_gets_the_same_statements() -> std::io::Result<()> {
        let folder = tempfile::tempdir()?;
        Peers::write_migrations(folder.path(), "CREATE TABLE a (b);\n")?;
        for file in ["goose/00001_all.sql", "sqlx/0001_all.sql", "diesel/20260000000001_all/up.sql"] {
            let text = std::fs::read_to_string(folder.path().join(file))?;
            assert!(text.ends_with("CREATE TABLE a (b);\n"), "{file}");
        }
        Ok(())
    }
}
