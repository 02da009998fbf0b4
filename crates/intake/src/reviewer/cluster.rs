//! The API server says whose a token is, by a `TokenReview` for our audience.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use k8s_openapi::api::authentication::v1::{TokenReview, TokenReviewSpec, TokenReviewStatus, UserInfo};
use kube::api::PostParams;
use kube::{Api, Client};
use ptah_model::Digest;
use ptah_records::operator::names::RESULT_AUDIENCE;
use ptah_records::operator::text::{LabelName, ObjectName, Uid};
use tokio::sync::Semaphore;
use tokio::time::{Instant, timeout};

use super::{Pod, Reviewed, Reviewer, Token};

/// For how long an answer holds.
const REMEMBERED: Duration = Duration::from_secs(10);
/// How many answers are remembered.
const MOST: usize = 1024;
/// How many reviews are under way at once. Whoever comes then is asked to come again.
const AT_ONCE: usize = 16;
/// How long one review may take.
const PATIENCE: Duration = Duration::from_secs(8);
/// How the name of a service account begins.
const SERVICE_ACCOUNT: &str = "system:serviceaccount:";
/// Where the API server says which Pod a token is bound to.
const POD_NAME: &str = "authentication.kubernetes.io/pod-name";
/// Where it says which one of that name.
const POD_UID: &str = "authentication.kubernetes.io/pod-uid";

/// Asks the API server, and remembers each answer for 10 seconds by the token's digest.
///
/// It needs the right to create `tokenreviews`. A Pod that was deleted meanwhile is still named for as long as an answer
/// is remembered, here and by the API server.
pub struct ClusterReviewer {
    reviews: Api<TokenReview>,
    remembered: Mutex<BTreeMap<Digest, (Instant, Reviewed)>>,
    places: Semaphore,
}

impl std::fmt::Debug for ClusterReviewer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ClusterReviewer")
    }
}

impl ClusterReviewer {
    /// One that asks by this client.
    pub fn new(client: Client) -> Self {
        Self { reviews: Api::all(client), remembered: Mutex::default(), places: Semaphore::new(AT_ONCE) }
    }

    fn remembered(&self, token: Digest) -> Option<Reviewed> {
        let remembered = self.remembered.lock().unwrap_or_else(PoisonError::into_inner);
        let (until, reviewed) = remembered.get(&token)?;
        (*until > Instant::now()).then(|| reviewed.clone())
    }

    fn remember(&self, token: Digest, reviewed: &Reviewed) {
        let now = Instant::now();
        let mut remembered = self.remembered.lock().unwrap_or_else(PoisonError::into_inner);
        remembered.retain(|_, (until, _)| *until > now);
        if remembered.len() < MOST {
            remembered.insert(token, (now + REMEMBERED, reviewed.clone()));
        }
    }
}

impl Reviewer for ClusterReviewer {
    async fn review(&self, token: &Token) -> Reviewed {
        let digest = token.digest();
        if let Some(reviewed) = self.remembered(digest) {
            return reviewed;
        }
        let Ok(_place) = self.places.try_acquire() else { return Reviewed::CannotSay };
        let spec = TokenReviewSpec {
            audiences: Some(vec![RESULT_AUDIENCE.to_owned()]),
            token: Some(token.reveal().to_owned()),
        };
        let review = TokenReview { spec, ..TokenReview::default() };
        let answer = timeout(PATIENCE, self.reviews.create(&PostParams::default(), &review)).await;
        let Ok(Ok(TokenReview { status: Some(status), .. })) = answer else { return Reviewed::CannotSay };
        let reviewed = judge(&status);
        self.remember(digest, &reviewed);
        reviewed
    }
}

/// What the API server's answer means. Whatever is missing from it is a refusal.
fn judge(status: &TokenReviewStatus) -> Reviewed {
    let ours = status.audiences.iter().flatten().any(|audience| audience == RESULT_AUDIENCE);
    let user = status.user.as_ref().filter(|_| status.authenticated == Some(true) && ours);
    user.and_then(pod).map_or(Reviewed::Refused, Reviewed::Pod)
}

/// The one Pod that a service account's token is bound to.
fn pod(user: &UserInfo) -> Option<Pod> {
    let (namespace, _) = user.username.as_ref()?.strip_prefix(SERVICE_ACCOUNT)?.split_once(':')?;
    let only = |key| match user.extra.as_ref()?.get(key)?.as_slice() {
        [value] => Some(value.clone()),
        _ => None,
    };
    Some(Pod {
        namespace: LabelName::new(namespace).ok()?,
        name: ObjectName::new(only(POD_NAME)?).ok()?,
        uid: Uid::new(only(POD_UID)?).ok()?,
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use kube::client::Body;
    use serde_json::{Value, json};

    use super::*;

    fn whole() -> Value {
        json!({
            "authenticated": true,
            "audiences": [RESULT_AUDIENCE],
            "user": {
                "username": "system:serviceaccount:shop:default",
                "extra": { POD_NAME: ["ptah-run-x1"], POD_UID: ["11111111-1111-4111-8111-111111111105"] },
            },
        })
    }

    fn judged(status: Value) -> Reviewed {
        judge(&serde_json::from_value(status).unwrap())
    }

    #[test]
    fn a_whole_answer_names_the_pod() {
        let Reviewed::Pod(pod) = judged(whole()) else { panic!() };
        assert_eq!(pod.namespace.as_str(), "shop");
        assert_eq!(pod.name.as_str(), "ptah-run-x1");
        assert_eq!(pod.uid.as_str(), "11111111-1111-4111-8111-111111111105");
    }

    #[test]
    fn an_answer_that_lacks_anything_refuses() {
        let changes: [(&str, Value); 9] = [
            ("/authenticated", json!(false)),
            ("/authenticated", Value::Null),
            ("/audiences", json!(["https://kubernetes.default.svc"])),
            ("/audiences", json!([])),
            ("/audiences", Value::Null),
            ("/user/username", json!("system:node:node-1")),
            ("/user/extra", Value::Null),
            ("/user/extra/authentication.kubernetes.io~1pod-uid", json!([])),
            ("/user/extra/authentication.kubernetes.io~1pod-name", json!(["one", "two"])),
        ];
        for (place, value) in changes {
            let mut status = whole();
            *status.pointer_mut(place).unwrap() = value;
            assert_eq!(judged(status), Reviewed::Refused, "{place}");
        }
    }

    /// A reviewer whose API server gives these answers in turn, the last one for ever; and how often it was asked.
    fn asked(answers: Vec<Option<Value>>) -> (ClusterReviewer, Arc<AtomicUsize>) {
        let asked = Arc::new(AtomicUsize::new(0));
        let count = asked.clone();
        let service = tower::service_fn(move |_: http::Request<Body>| {
            let answer = answers[count.fetch_add(1, Ordering::SeqCst).min(answers.len() - 1)].clone();
            async move {
                let status = answer.ok_or("the connection was lost")?;
                let review = json!({ "metadata": {}, "spec": {}, "status": status });
                Ok::<_, tower::BoxError>(http::Response::new(Body::from(review.to_string().into_bytes())))
            }
        });
        (ClusterReviewer::new(Client::new(service, "default")), asked)
    }

    #[tokio::test(start_paused = true)]
    async fn an_answer_holds_for_ten_seconds_and_for_its_own_token_alone() {
        let refusal = json!({ "authenticated": false });
        let (reviewer, asked) = asked(vec![Some(whole()), Some(refusal)]);
        let token = Token::new("one").unwrap();
        let first = reviewer.review(&token).await;
        assert!(matches!(first, Reviewed::Pod(_)));
        tokio::time::advance(REMEMBERED.checked_sub(Duration::from_millis(1)).unwrap()).await;
        assert_eq!(reviewer.review(&token).await, first);
        assert_eq!(asked.load(Ordering::SeqCst), 1);
        assert_eq!(reviewer.review(&Token::new("two").unwrap()).await, Reviewed::Refused);
        tokio::time::advance(Duration::from_millis(2)).await;
        assert_eq!(reviewer.review(&token).await, Reviewed::Refused, "it is asked again");
        assert_eq!(asked.load(Ordering::SeqCst), 3);
    }

    #[tokio::test(start_paused = true)]
    async fn what_nobody_could_say_is_asked_again_at_once() {
        let (reviewer, asked) = asked(vec![None, Some(whole())]);
        let token = Token::new("one").unwrap();
        assert_eq!(reviewer.review(&token).await, Reviewed::CannotSay);
        assert!(matches!(reviewer.review(&token).await, Reviewed::Pod(_)));
        assert_eq!(asked.load(Ordering::SeqCst), 2);
    }
}
