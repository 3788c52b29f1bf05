package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// specOf is examples/files.cue with as many resource types as asked for: the
// first is File, the others are copies of it under other names.
func specOf(files string, types int) (string, error) {
	head, resource, found := strings.Cut(files, "resources: File: {")
	if !found {
		return "", fmt.Errorf("examples/files.cue has no `resources: File: {` to multiply")
	}
	var b strings.Builder
	b.WriteString(head)
	b.WriteString("resources: File: {" + resource)
	for i := 1; i < types; i++ {
		fmt.Fprintf(&b, "\n// Another file.\nresources: File%d: {%s", i, resource)
	}
	return b.String(), nil
}

// words are those of the names and comments in apiOf.
var words = strings.Fields(`account address agent alert amount archive audit backup balance billing bucket build
	cache campaign capacity certificate channel cluster command comment contract country cursor customer database
	deadline delivery deployment discount domain endpoint event expiry field folder gateway group header health
	history image index instance interval invoice item job key label language layer ledger license limit location
	log member message metric model network node notice object offer order origin owner package page partner
	password payment period permission plan policy pool port price priority process product profile project query
	queue quota rate record region release report request resource response retention role route rule schedule
	schema secret segment server service session setting share shipment size snapshot source stage status storage
	subnet subscription summary supplier table target task team template tenant threshold ticket token topic trace
	transfer unit update upload user value version volume vote wallet warehouse webhook window worker zone`)

// apiOf returns a spec of a REST API with a number of resource types, each of which has other
// properties and comments. Copies of one type would compress to nothing.
func apiOf(types int) string {
	r := rand.New(rand.NewPCG(1, 2))
	word := func() string { return words[r.IntN(len(words))] }
	title := func(w string) string { return strings.ToUpper(w[:1]) + w[1:] }
	sentence := func() string {
		return fmt.Sprintf("%s of the %s, which the %s of its %s determines.", title(word()), word(), word(), word())
	}
	var b strings.Builder
	b.WriteString(`name:    "api"
version: "0.1.0"
config: {
	// URL of the API.
	endpoint: *"https://api.example.com/v1" | string
	// API token.
	token: *"" | string @secret()
}
http: {
	baseURL: "${config.endpoint}"
	auth: bearer: "${config.token}"
	error: "${body.message ?? body.error}"
}
`)
	for i := range types {
		name := fmt.Sprintf("%s%s%d", title(word()), title(word()), i)
		fmt.Fprintf(&b, "\n// %s\nresources: %s: {\n\tinputs: {\n", sentence(), name)
		for j, kind := range []string{"string @replace()", "string", "int & >=1", "*false | bool", "[...string]", "[string]: string"} {
			mark := "?"
			if j < 2 || j == 3 {
				mark = ""
			}
			fmt.Fprintf(&b, "\t\t// %s\n\t\t%s%s%d%s: %s\n", sentence(), word(), title(word()), j, mark, kind)
		}
		b.WriteString("\t}\n\toutputs: {\n")
		for j := range 3 {
			fmt.Fprintf(&b, "\t\t// %s\n\t\t%s%sState%d: string\n", sentence(), word(), title(word()), j)
		}
		path := fmt.Sprintf("/%ss/%d", word(), i)
		fmt.Fprintf(&b, `	}
	id: "${result.body.id}"
	create: http: {method: "POST", path: "%[1]s", json: "${inputs}"}
	read: http: path:   "%[1]s/${id}"
	update: http: {method: "PATCH", path: "%[1]s/${id}", json: "${changes}"}
	delete: http: {method: "DELETE", path: "%[1]s/${id}"}
}
`, path)
	}
	return b.String()
}
