//! Operation Jobs: who makes them, and what a stolen token of the manager could make of them.

use crate::policy::{Match, Policy, Rule};

pub(super) fn policy() -> Policy {
    Policy {
        name: "ptah-jobs",
        about: "Who may make operation Jobs, and what the manager's Jobs may run.",
        matches: vec![Match::of("batch", "v1", &["jobs"], &["CREATE", "UPDATE"])],
        // Every Job of the manager, also one without our mark.
        applies: "request.userInfo.username == params.data.manager || [object, oldObject].exists(o, o != null && \
                  has(o.metadata.annotations) && 'operator.ptah.run/operation-id' in o.metadata.annotations)",
        variables: vec![
            ("pod", "dyn(object).spec.template.spec"),
            (
                "containers",
                "variables.pod.containers + (has(variables.pod.initContainers) ? variables.pod.initContainers : dyn([]))",
            ),
            ("volumes", "has(variables.pod.volumes) ? variables.pod.volumes : dyn([])"),
            ("made", "request.operation == 'CREATE'"),
        ],
        rules: [ownership(), containment()].concat(),
    }
}

/// Whose a Job is.
fn ownership() -> Vec<Rule> {
    vec![
        Rule {
            id: "manager-makes-jobs",
            attack: "a Job of somebody else that the manager takes for its own, or a change of one that runs",
            message: "only the manager makes and changes operation Jobs",
            expression: "request.userInfo.username == params.data.manager || !variables.made && \
                         request.userInfo.username == 'system:serviceaccount:kube-system:generic-garbage-collector'",
        },
        Rule {
            id: "job-stays-as-built",
            attack: "a Job that is paused, multiplied or given more time after its permit was decided",
            message: "a Job stays as it was built; only its time to live may be set",
            expression: "variables.made || dyn(object).spec.all(k, k == 'ttlSecondsAfterFinished' || \
                         k in dyn(oldObject).spec && dyn(object).spec[k] == dyn(oldObject).spec[k]) && \
                         dyn(oldObject).spec.all(k, k in dyn(object).spec)",
        },
    ]
}

/// What a Job may be, when it is made.
fn containment() -> Vec<Rule> {
    vec![
        Rule {
            id: "only-enabled-namespaces",
            attack: "a stolen token of the manager runs Jobs in namespaces that never asked for Ptah",
            message: "operation Jobs run only in namespaces with the label operator.ptah.run/enabled=true",
            expression: "!variables.made || has(namespaceObject.metadata.labels) && \
                         'operator.ptah.run/enabled' in namespaceObject.metadata.labels && \
                         namespaceObject.metadata.labels['operator.ptah.run/enabled'] == 'true'",
        },
        Rule {
            id: "only-known-images",
            attack: "a stolen token of the manager runs an image of its own",
            message: "operation Jobs run only the images that the settings list",
            expression: "!variables.made || variables.containers.all(c, c.image != '' && \
                         c.image in params.data.images.split('\\n'))",
        },
        Rule {
            id: "only-the-runner",
            attack: "a stolen token of the manager runs a shell of a known image",
            message: "operation Jobs run only the command that the settings name, and no probe or hook",
            expression: "!variables.made || variables.containers.all(c, has(c.command) && \
                         c.command == [params.data.command] && \
                         !has(c.lifecycle) && !has(c.startupProbe) && !has(c.livenessProbe) && !has(c.readinessProbe))",
        },
        Rule {
            id: "nothing-of-the-node",
            attack: "a stolen token of the manager reads or takes over a node",
            message: "operation Jobs have nothing of their node: no path, network or process of it, no privilege",
            expression: "!variables.made || \
                         !(has(variables.pod.hostNetwork) && variables.pod.hostNetwork) && \
                         !(has(variables.pod.hostPID) && variables.pod.hostPID) && \
                         !(has(variables.pod.hostIPC) && variables.pod.hostIPC) && \
                         !has(variables.pod.nodeName) && \
                         variables.volumes.all(v, v.all(k, k in ['name', 'emptyDir', 'secret', 'configMap', 'projected'])) && \
                         variables.containers.all(c, has(c.securityContext) && \
                         has(c.securityContext.allowPrivilegeEscalation) && !c.securityContext.allowPrivilegeEscalation && \
                         !(has(c.securityContext.privileged) && c.securityContext.privileged) && \
                         !(has(c.securityContext.capabilities) && has(c.securityContext.capabilities.add)))",
        },
        Rule {
            id: "no-token-of-the-api",
            attack: "a Job acts at the API server as the service account that it runs under",
            message: "operation Jobs have no token but one for our own audience",
            expression: "!variables.made || has(variables.pod.automountServiceAccountToken) && \
                         !variables.pod.automountServiceAccountToken && variables.volumes.all(v, !has(v.projected) || \
                         !has(v.projected.sources) || v.projected.sources.all(s, !has(s.serviceAccountToken) || \
                         has(s.serviceAccountToken.audience) && s.serviceAccountToken.audience == 'operator.ptah.run/results'))",
        },
    ]
}
