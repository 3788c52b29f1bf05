package radicale

import (
	"fmt"
	"testing"

	"github.com/declprov/declprov/tests/internal/faults"
)

func TestRadicale(t *testing.T) {
	s := start(t)
	s.calendar(t, "shared", "Shared", "#00ff00")
	s.calendar(t, "foreign", "Theirs", "#ff0000")
	s.event(t, "/shared/foreign.ics", "foreign", "Theirs")
	faults.Table{
		Server: faults.Server{Provider: "radicale", Spec: "tests/servers/radicale/testdata/radicale.cue", URL: s.base, Env: environment, Things: s.things},
		Steps:  steps(),
		Delete: []faults.Match{faults.Request("DELETE", "/cal-NAME-new/"), faults.Request("DELETE", "/shared/NAME-new.ics")},
		Taken:  program("NAME", "Mine", "NAME", "NAME", "Mine"),
		Takes:  []faults.Match{faults.Request("MKCALENDAR", "/NAME/"), faults.Request("PUT", "/shared/NAME.ics")},
		Plain: faults.Plain{
			Change: func(t testing.TB, name string) {
				s.event(t, "/shared/"+name+"-new.ics", name+"-2", "Changed")
				s.paint(t, "cal-"+name+"-new", "Changed", "#0000ff")
			},
			Changed: []string{"update Calendar plain-calendar", "update Event plain"},
			Remove: func(t testing.TB, name string) {
				s.do(t, "DELETE", "/shared/"+name+"-new.ics", "")
				s.do(t, "DELETE", "/cal-"+name+"-new/", "")
			},
			Imports: []faults.Import{
				{Token: "radicale:index:Calendar", Resource: "NAME-calendar", Make: func(t testing.TB, name string) string {
					s.calendar(t, "old-"+name, "Old", "#123456")
					return "old-" + name
				}},
				{Token: "radicale:index:Event", Resource: "NAME", Make: func(t testing.TB, name string) string {
					s.event(t, "/shared/old-"+name+".ics", name, "Old")
					return "shared/old-" + name
				}},
			},
			Imported: program("old-NAME", `Old, color: "#123456"`, "old-NAME", "NAME", "Old"),
		},
	}.Run(t)
}

func steps() []faults.Step {
	return []faults.Step{
		{
			Name: "create", Ops: "create=2",
			Program: program("cal-NAME", "Work", "NAME", "NAME-1", "Lunch & tea"),
			Things:  []string{"calendar cal-NAME: Work #3a87ad", "event shared/NAME.ics NAME-1: Lunch & tea"},
			Strikes: []faults.Match{faults.Request("MKCALENDAR", "/cal-NAME/"), faults.Request("PUT", "/shared/NAME.ics")},
		},
		{
			Name: "update", Ops: "update=2",
			Program: program("cal-NAME", "Home", "NAME", "NAME-1", "Dinner"),
			Things:  []string{"calendar cal-NAME: Home #3a87ad", "event shared/NAME.ics NAME-1: Dinner"},
			Strikes: []faults.Match{faults.Request("PROPPATCH", "/cal-NAME/"), faults.Request("PUT", "/shared/NAME.ics")},
		},
		{
			Name: "rename", Ops: "create-replacement=1 delete-replaced=1 replace=1 update=1",
			Program: program("cal-NAME-new", "Home", "NAME-new", "NAME-1", "Breakfast"),
			Things:  []string{"calendar cal-NAME-new: Home #3a87ad", "event shared/NAME-new.ics NAME-1: Breakfast"},
			Strikes: []faults.Match{
				faults.Request("MKCALENDAR", "/cal-NAME-new/"), faults.Request("DELETE", "/cal-NAME/"),
				faults.Request("MOVE", "/shared/NAME.ics"), faults.Request("PUT", "/shared/NAME-new.ics"),
			},
		},
		{
			Name: "replace", DeletesFirst: true, Ops: "create-replacement=1 delete-replaced=1 replace=1 same=1",
			Program: program("cal-NAME-new", "Home", "NAME-new", "NAME-2", "Breakfast"),
			Things:  []string{"calendar cal-NAME-new: Home #3a87ad", "event shared/NAME-new.ics NAME-2: Breakfast"},
			Strikes: []faults.Match{faults.Request("DELETE", "/shared/NAME-new.ics"), faults.Request("PUT", "/shared/NAME-new.ics")},
		},
	}
}

func program(slug, title, name, uid, summary string) string {
	return fmt.Sprintf(`  NAME-calendar: {type: radicale:Calendar, properties: {slug: %s, title: %s}}
  NAME:
    type: radicale:Event
    properties: {calendar: shared, name: %s, uid: %s, summary: %s, start: 20300101T090000Z, end: 20300101T100000Z}
`, slug, title, name, uid, summary)
}
