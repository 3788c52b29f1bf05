package names

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// CodeOfficial is the name of an official provider, which Pulumi may install instead
// (warning).
const CodeOfficial = "official-name"

// ProviderFault is what is wrong with the name of a provider.
type ProviderFault struct {
	// Code is CodeName, CodeReserved or CodeOfficial.
	Code            string
	Summary, Detail string
	// Meant is a valid name that resembles it, or "".
	Meant string
}

// providerName matches the package names that Pulumi accepts.
var providerName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z][a-z0-9]*(-[a-z0-9]+)*$`) })

// CheckProvider checks the name of a provider. It returns nil for a good one.
func CheckProvider(name string) *ProviderFault {
	invalid := fmt.Sprintf("%q is not a valid name for a provider", name)
	switch {
	case !providerName().MatchString(name):
		return &ProviderFault{
			Code: CodeName, Summary: invalid, Meant: suggestedProvider(name),
			Detail: "Use lower-case letters, digits and single hyphens, and begin with a letter.",
		}
	case len(name) < 2:
		return &ProviderFault{Code: CodeName, Summary: invalid, Detail: "Pulumi does not find plugins with a name of one letter. Use two or more letters."}
	case slices.Contains(officialNames, name):
		return &ProviderFault{
			Code: CodeOfficial, Summary: fmt.Sprintf("%q is the name of an official Pulumi provider", name),
			Detail: "If Pulumi does not find your provider, it may install and run that one.",
		}
	case name == "pulumi" || name == "declprov":
		return &ProviderFault{Code: CodeReserved, Summary: fmt.Sprintf("the name %q is reserved", name), Detail: "Pulumi or declprov uses it. Choose another name."}
	}
	return nil
}

// officialNames are the names of providers that Pulumi may find and install without a
// spec. They come from Pulumi's list of packages (pulumi/pulumi v3.259.0,
// pkg/registry/preregistry.go) and from Pulumiverse (github.com/pulumiverse,
// repositories pulumi-NAME). The list does not contain names that were registered
// later: it only serves as an early warning, because vet does not use the network.
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

// suggestedProvider returns a valid name for a provider that resembles another name.
func suggestedProvider(name string) string {
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	return strings.TrimLeft(strings.Join(words, "-"), "-0123456789")
}
