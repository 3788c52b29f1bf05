package load

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"cuelang.org/go/cue"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/load/source"
	"github.com/declprov/declprov/spec/load/walk"
	"github.com/declprov/declprov/spec/names"
)

// providerName is Pulumi's rule for the name of a package.
var providerName = regexp.MustCompile(`^[a-z][-a-z0-9]*$`)

// semver is a version after semver.org, without a leading v.
var semver = regexp.MustCompile(`^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)` +
	`(-(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(\.(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*)?(\+[0-9a-zA-Z-]+(\.[0-9a-zA-Z-]+)*)?$`)

// metadata reads what describes the provider.
func (l *loader) metadata(b *section, p *spec.Provider) {
	l.providerName(b, p)
	l.version(b, p)
	p.Description = l.Syntax.PackageDoc(l.Raw)
	l.fill(b, p)
	if m, ok := b.get("language"); ok && !l.Broken(m, b.at("language")) {
		p.Language = l.language(m, b.at("language"))
	}
}

// language reads the settings of SDK generators: a struct for each.
func (l *loader) language(it walk.Item, p source.Place) map[string]any {
	if l.Kind(it) != cue.StructKind {
		l.WrongShape(it, p, "a struct of settings by language")
		return nil
	}
	settings := map[string]any{}
	for _, m := range l.Values(it) {
		n := l.node(m, p.Member(m.Name))
		switch n.Kind {
		case 0:
		case spec.MapNode:
			settings[m.Name] = n.Plain()
		default:
			l.Report(names.CodeLanguage, m.At, p.Member(m.Name), fmt.Sprintf("the options for %s are no struct", m.Name),
				"The SDK generator of a language takes options by name: language: nodejs: packageName: \"@me/x\".")
		}
	}
	return settings
}

func (l *loader) providerName(b *section, p *spec.Provider) {
	m, ok := b.get("name")
	if !ok {
		if !b.given("name") {
			l.Report(source.CodeMissingKey, b.item.At, b.place, "the spec has no name", `Name the provider: name: "petstore".`)
		}
		p.Range = b.item.At
		return
	}
	p.Range = m.At
	name, ok := l.string(m, b.at("name"))
	if !ok {
		return
	}
	p.Name = name
	switch {
	case !providerName.MatchString(name) || strings.HasSuffix(name, "-") || strings.Contains(name, "--"):
		l.Report(names.CodeName, m.At, b.at("name"), fmt.Sprintf("%q is not a valid name for a provider", name),
			"It begins with a small letter; small letters, digits and single hyphens follow.")
	case len(name) < 2:
		l.Report(names.CodeName, m.At, b.at("name"), fmt.Sprintf("%q is not a valid name for a provider", name),
			"Pulumi finds no plugin with a name of one letter. Give it two or more.")
	case official(name):
		l.Warn(source.CodeOfficialName, m.At, b.at("name"), fmt.Sprintf("Pulumi has a provider %q of its own", name),
			"Where it does not find yours, it may install that one and run it. Choose another name.")
	case name == "pulumi" || name == "declprov":
		l.Report(names.CodeReserved, m.At, b.at("name"), fmt.Sprintf("the name %q is taken", name), "Pulumi itself, or declprov, has it. Choose another.")
	}
}

func (l *loader) version(b *section, p *spec.Provider) {
	m, ok := b.get("version")
	if !ok {
		if !b.given("version") {
			l.Report(source.CodeMissingKey, b.item.At, b.place, "the spec has no version", `Give it one: version: "0.1.0".`)
		}
		return
	}
	n := l.node(m, b.at("version"))
	switch {
	case n.Kind == spec.NumberNode:
		l.Report(source.CodeBadVersion, m.At, b.at("version"), "the version is a number, not text",
			fmt.Sprintf("Quote it, and give all three parts: version: \"%s.0\".", n.Text))
		return
	case n.Kind == 0:
		return
	case n.Kind != spec.StringNode:
		l.WrongShape(m, b.at("version"), "text")
		return
	}
	p.Version = n.Text
	if !semver.MatchString(n.Text) {
		detail := "A version is MAJOR.MINOR.PATCH, such as 1.2.0 or 1.2.0-beta.1."
		if trimmed, ok := strings.CutPrefix(n.Text, "v"); ok && semver.MatchString(trimmed) {
			detail = fmt.Sprintf("Leave out the v: %q.", trimmed)
		}
		l.Report(source.CodeBadVersion, m.At, b.at("version"), fmt.Sprintf("%q is not a semantic version", n.Text), detail)
	}
}

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
