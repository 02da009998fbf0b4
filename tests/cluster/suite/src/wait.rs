//! Waiting for a condition, never for a time.

use std::future::Future;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};

/// How long anything may take here. The slowest is a policy that comes into force, within two seconds.
const PATIENCE: Duration = Duration::from_mins(1);

/// Asks until there is an answer; an error ends it at once.
pub(crate) async fn until<Answer, Asked>(what: &str, mut ask: impl FnMut() -> Asked) -> Result<Answer>
where
    Asked: Future<Output = Result<Option<Answer>>>,
{
    let end = Instant::now() + PATIENCE;
    loop {
        if let Some(answer) = ask().await? {
            return Ok(answer);
        }
        if Instant::now() > end {
            bail!("{what} did not happen within {} seconds", PATIENCE.as_secs());
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}
