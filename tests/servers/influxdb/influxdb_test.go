package influxdb

import (
	"fmt"
	"strings"
	"testing"

	"github.com/declprov/declprov/tests/internal/faults"
)

func TestInfluxDB(t *testing.T) {
	s := start(t)
	s.run(t, `CREATE DATABASE "shared"`)
	s.run(t, `CREATE DATABASE "foreign"`)
	s.run(t, `CREATE RETENTION POLICY "foreign" ON "shared" DURATION 24h REPLICATION 1`)
	s.run(t, `CREATE CONTINUOUS QUERY "foreign" ON "shared" BEGIN `+query("mean")+` END`)
	faults.Table{
		Server: faults.Server{Provider: "influxdb", Spec: "tests/servers/influxdb/testdata/influxdb.cue", URL: s.Base, Env: environment, Things: s.things},
		Steps:  steps(),
		Delete: []faults.Match{
			faults.Request("POST", `DROP DATABASE "NAME-new"`), faults.Request("POST", `DROP RETENTION POLICY "NAME-new"`),
			faults.Request("POST", `DROP CONTINUOUS QUERY "NAME-new"`),
		},
		Taken: program("NAME", "24h", "mean"),
		Takes: []faults.Match{faults.Request("POST", `CREATE DATABASE "NAME"`), faults.Request("POST", `CREATE RETENTION POLICY "NAME"`), faults.Request("POST", `CREATE CONTINUOUS QUERY "NAME"`)},
		Plain: faults.Plain{
			Change: func(t testing.TB, name string) {
				s.run(t, strings.ReplaceAll(`ALTER RETENTION POLICY "NAME-new" ON "shared" DURATION 72h`, "NAME", name))
			},
			Changed: []string{"same ContinuousQuery plain-query", "same Database plain", "update RetentionPolicy plain-policy"},
			Remove: func(t testing.TB, name string) {
				for _, statement := range []string{`DATABASE "NAME-new"`, `RETENTION POLICY "NAME-new" ON "shared"`, `CONTINUOUS QUERY "NAME-new" ON "shared"`} {
					s.run(t, "DROP "+strings.ReplaceAll(statement, "NAME", name))
				}
			},
			Imports: []faults.Import{
				{Token: "influxdb:index:Database", Resource: "NAME", Make: func(t testing.TB, name string) string {
					s.run(t, fmt.Sprintf("CREATE DATABASE %q", name))
					return name
				}},
				{Token: "influxdb:index:RetentionPolicy", Resource: "NAME-policy", Make: func(t testing.TB, name string) string {
					s.run(t, fmt.Sprintf(`CREATE RETENTION POLICY %q ON "shared" DURATION 24h REPLICATION 1`, name))
					return "shared/" + name
				}},
				{Token: "influxdb:index:ContinuousQuery", Resource: "NAME-query", Make: func(t testing.TB, name string) string {
					s.run(t, fmt.Sprintf(`CREATE CONTINUOUS QUERY %q ON "shared" BEGIN %s END`, name, query("mean")))
					return "shared/" + name
				}},
			},
			Imported: program("NAME", "24h", "mean"),
		},
	}.Run(t)
}

func steps() []faults.Step {
	return []faults.Step{
		{
			Name: "create", Ops: "create=3", Program: program("NAME", "24h", "mean"), Things: things("NAME", "24h0m0s", "mean"),
			Strikes: []faults.Match{
				faults.Request("POST", `CREATE DATABASE "NAME"`), faults.Request("POST", `CREATE RETENTION POLICY "NAME"`),
				faults.Request("POST", `CREATE CONTINUOUS QUERY "NAME"`),
			},
		},
		{
			Name: "update", Ops: "same=2 update=1", Program: program("NAME", "48h", "mean"), Things: things("NAME", "48h0m0s", "mean"),
			Strikes: []faults.Match{faults.Request("POST", `ALTER RETENTION POLICY "NAME"`)},
		},
		{
			Name: "rename", Ops: "create-replacement=3 delete-replaced=3 replace=3",
			Program: program("NAME-new", "48h", "mean"), Things: things("NAME-new", "48h0m0s", "mean"),
			Strikes: []faults.Match{
				faults.Request("POST", `CREATE DATABASE "NAME-new"`), faults.Request("POST", `CREATE RETENTION POLICY "NAME-new"`),
				faults.Request("POST", `CREATE CONTINUOUS QUERY "NAME-new"`), faults.Request("POST", `DROP DATABASE "NAME"`),
				faults.Request("POST", `DROP RETENTION POLICY "NAME"`), faults.Request("POST", `DROP CONTINUOUS QUERY "NAME"`),
			},
		},
		{
			Name: "replace", DeletesFirst: true, Ops: "create-replacement=1 delete-replaced=1 replace=1 same=2",
			Program: program("NAME-new", "48h", "max"), Things: things("NAME-new", "48h0m0s", "max"),
			Strikes: []faults.Match{faults.Request("POST", `DROP CONTINUOUS QUERY "NAME-new"`), faults.Request("POST", `CREATE CONTINUOUS QUERY "NAME-new"`)},
		},
	}
}

func query(function string) string {
	return fmt.Sprintf(`SELECT %s("load") INTO "shared"."autogen"."daily" FROM shared.autogen.cpu GROUP BY time(1d)`, function)
}

func program(name, duration, function string) string {
	return fmt.Sprintf(`  NAME: {type: influxdb:Database, properties: {name: %s}}
  NAME-policy: {type: influxdb:RetentionPolicy, properties: {database: shared, name: %[1]s, duration: %[2]s}}
  NAME-query: {type: influxdb:ContinuousQuery, properties: {database: shared, name: %[1]s, select: %[3]q}}
`, name, duration, query(function))
}

func things(name, duration, function string) []string {
	// The server writes a query in its own way.
	quoted := name
	if strings.Contains(name, "-") {
		quoted = fmt.Sprintf("%q", name)
	}
	return []string{
		"database " + name,
		fmt.Sprintf("policy %s %s", name, duration),
		fmt.Sprintf("query shared CREATE CONTINUOUS QUERY %s ON shared BEGIN SELECT %s(load) INTO shared.autogen.daily FROM shared.autogen.cpu GROUP BY time(1d) END", quoted, function),
	}
}
