//! Operation Pods: the Job controller makes them, and nobody touches them.

use crate::policy::{Match, Policy, Rule};

pub(super) fn policy() -> Policy {
    Policy {
        name: "ptah-pods",
        about: "Who may make and touch operation Pods.",
        matches: vec![Match::of("", "v1", &["pods", "pods/ephemeralcontainers", "pods/resize"], &["CREATE", "UPDATE"])],
        // Every Pod that the manager touches, also one without our mark.
        applies: "request.userInfo.username == params.data.manager || [object, oldObject].exists(o, o != null && (has(o.metadata.annotations) && \
                  'operator.ptah.run/operation-id' in o.metadata.annotations || has(o.metadata.labels) && \
                  o.metadata.labels.exists(k, k in ['batch.kubernetes.io/controller-uid', 'controller-uid'])))",
        variables: vec![
            (
                "marked",
                "[object, oldObject].exists(o, o != null && has(o.metadata.annotations) && \
                 'operator.ptah.run/operation-id' in o.metadata.annotations)",
            ),
            (
                "enabled",
                "has(namespaceObject.metadata.labels) && 'operator.ptah.run/enabled' in namespaceObject.metadata.labels && \
                 namespaceObject.metadata.labels['operator.ptah.run/enabled'] == 'true'",
            ),
            ("changed", "request.operation == 'UPDATE'"),
            ("jobs", "request.userInfo.username == 'system:serviceaccount:kube-system:job-controller'"),
            ("collector", "request.userInfo.username == 'system:serviceaccount:kube-system:generic-garbage-collector'"),
            ("manager", "request.userInfo.username == params.data.manager"),
            ("was", "oldObject != null && has(oldObject.metadata.finalizers) ? oldObject.metadata.finalizers : []"),
            ("is", "has(object.metadata.finalizers) ? object.metadata.finalizers : []"),
        ],
        rules: rules(),
    }
}

fn rules() -> Vec<Rule> {
    vec![
        Rule {
            id: "job-controller-makes-pods",
            attack: "a Pod of somebody else that the Job controller counts, and the manager believes",
            message: "operation Pods, and in enabled namespaces the Pods of every Job, are made by the Job controller",
            expression: "variables.changed || variables.jobs || !variables.marked && !variables.enabled",
        },
        Rule {
            id: "nobody-joins-a-job",
            attack: "a Pod that is given the labels of an operation Job afterwards, and adopted",
            message: "in enabled namespaces nobody but the Job controller gives a Pod the labels of a Job",
            expression: "!variables.changed || variables.jobs || !variables.enabled || \
                         ['batch.kubernetes.io/controller-uid', 'controller-uid'].all(k, \
                         (has(object.metadata.labels) && k in object.metadata.labels ? object.metadata.labels[k] : '') == \
                         (has(oldObject.metadata.labels) && k in oldObject.metadata.labels ? oldObject.metadata.labels[k] : ''))",
        },
        Rule {
            id: "pods-are-left-alone",
            attack: "another image, another mark or a container beside it in a Pod that holds a credential",
            message: "nobody changes an operation Pod",
            // The Job controller takes its own finalizer off, the manager ours, the collector marks of ownership.
            expression: "!variables.changed || !variables.marked || !has(request.subResource) && \
                         (variables.jobs || variables.collector || variables.manager) && \
                         dyn(object).spec == dyn(oldObject).spec && has(object.metadata.annotations) && \
                         has(oldObject.metadata.annotations) && \
                         ['operator.ptah.run/operation-id', 'operator.ptah.run/resource-uid'].all(k, \
                         (k in object.metadata.annotations ? object.metadata.annotations[k] : '') == \
                         (k in oldObject.metadata.annotations ? oldObject.metadata.annotations[k] : ''))",
        },
        Rule {
            id: "evidence-stays",
            attack: "the end of a run disappears before it was read",
            message: "only the manager removes the finalizer operator.ptah.run/evidence",
            expression: "!variables.changed || !variables.marked || variables.manager || \
                         !('operator.ptah.run/evidence' in variables.was) || 'operator.ptah.run/evidence' in variables.is",
        },
        Rule {
            id: "manager-touches-its-pods",
            attack: "a stolen token of the manager puts another image into a Pod of somebody else",
            message: "the manager makes no Pod, and changes operation Pods only",
            expression: "!variables.manager || variables.changed && has(oldObject.metadata.annotations) && \
                         'operator.ptah.run/operation-id' in oldObject.metadata.annotations",
        },
    ]
}
