package load

import (
	"slices"
	"strings"
)

// officialNames are the names of providers that Pulumi may find and install by
// itself, from its own list of packages (pulumi/pulumi v3.259.0,
// pkg/registry/preregistry.go) and those of Pulumiverse (github.com/pulumiverse,
// repositories pulumi-NAME). A new name in its registry is not here: the list is
// to warn early, and vet asks nobody.
var officialNames = strings.Fields(`
	aiven akamai alicloud archive artifactory auth0 aws aws-apigateway aws-iam aws-native awsx azure azure-native
	azuread azuredevops civo cloud cloudamqp cloudflare cloudinit cloudngfwaws command confluent confluentcloud consul
	databricks datadog dbtcloud digitalocean dnsimple docker docker-build ec eks equinix-metal external f5bigip fastly
	gcp github gitlab google-native harness hcloud http hyperv ise junipermist kafka keycloak kong kubernetes
	kubernetes-cert-manager kubernetes-coredns kubernetes-ingress-nginx kubernetesx libvirt linode local mailgun meraki
	metabase minio mongodbatlas mysql newrelic nomad ns1 null oci okta onelogin openstack opsgenie packet pagerduty
	postgresql pulumiservice rabbitmq rancher2 random rke scm sdwan signalfx slack snowflake splunk spotinst std str
	sumologic synced-folder tailscale terraform terraform-module terraform-provider tls ucloud vault venafi vsphere
	wavefront yandex

	acme aws-eksa buildkite clickhouse cockroach concourse configcat cpln doppler dynatrace esxi-native exoscale forgejo
	fortios gandi github-credentials googleworkspace grafana harbor hcp heroku matchbox mssql purrl redpanda scaleway
	sentry statuscake talos time unifi unleash vercel vra zitadel
`)

func official(name string) bool { return slices.Contains(officialNames, name) }
