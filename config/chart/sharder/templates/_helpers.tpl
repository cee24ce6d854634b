{{- define "sharder.labels" -}}
app.kubernetes.io/name: controller-sharding
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}

{{- define "sharder.selector" -}}
app.kubernetes.io/component: sharder
{{- end }}

{{- define "sharder.hasWebhook" -}}
{{- if ne .Values.mode "watch" }}true{{ end }}
{{- end }}

{{/* Whether the certificate of the webhook comes from a Secret that is mounted. */}}
{{- define "sharder.mountsCertificate" -}}
{{- if and (include "sharder.hasWebhook" .) (ne .Values.webhook.certificate.source "sharder") }}true{{ end }}
{{- end }}

{{/*
The manifests of a file under files, which are links to the kustomize bases, with the labels of this chart.
In: context; file; annotations (optional); labels, further ones (optional); without, rules that are left out of ClusterRoles (optional);
kinds, what is left out (optional).
*/}}
{{- define "sharder.manifests" -}}
{{- $text := required (printf "There is no %s: links are missing in this copy of the chart" .file) (.context.Files.Get .file) }}
{{- $labels := merge (dict) (.labels | default dict) (include "sharder.labels" .context | fromYaml) }}
{{- $without := .without | default list }}
{{- $annotations := .annotations | default dict }}
{{- $kinds := .kinds | default list }}
{{- range $document := regexSplit "(?m)^---$" $text -1 }}
{{- $object := fromYaml $document }}
{{- with $object.Error }}{{ fail . }}{{ end }}
{{- if not (has $object.kind $kinds) }}
{{- $_ := set $object.metadata "labels" (merge (dict) $labels ($object.metadata.labels | default dict)) }}
{{- with $annotations }}
{{- $_ := set $object.metadata "annotations" . }}
{{- end }}
{{- if and $without (eq $object.kind "ClusterRole") }}
{{- $rules := list }}
{{- range $object.rules }}
{{- if not (has . $without) }}{{ $rules = append $rules . }}{{ end }}
{{- end }}
{{- if ne (len $rules) (sub (len $object.rules) (len $without) | int) }}
{{- fail "The rules of files/narrow are not those of files/rbac" }}
{{- end }}
{{- $_ := set $object "rules" $rules }}
{{- end }}
---
{{ toYaml $object }}
{{- end }}
{{- end }}
{{- end }}
