package database

import (
	"database/sql"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/go-sql-driver/mysql"

	"github.com/declprov/declprov/tests/internal/daemon"
	"github.com/declprov/declprov/tests/internal/tools"
)

// MariaDB is a MariaDB server. Its administrator is "root", with Password.
type MariaDB struct {
	Port   int
	Socket string
}

// StartMariaDB starts a server in a folder of its own.
func StartMariaDB(t testing.TB) *MariaDB {
	t.Helper()
	program := tools.Need(t, tools.MariaDB)
	as, dir := ownFolder(t, "mysql")
	// A server that starts removes the temporary tables in its folder for them, also those of another one.
	as = append(as, "env", "TMPDIR="+dir)
	s := &MariaDB{Port: daemon.FreePort(t), Socket: filepath.Join(dir, "socket")}
	data, initial := filepath.Join(dir, "data"), filepath.Join(dir, "initial.sql")
	run(t, append(as[:len(as):len(as)], "mariadb-install-db", "--no-defaults", "--datadir="+data, "--auth-root-authentication-method=normal", "--skip-test-db"))
	if err := os.WriteFile(initial, []byte("set password for root@localhost = password('"+quoteMySQL(Password)+"');\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	args := append(as, program, "--no-defaults", "--datadir="+data, "--socket="+s.Socket, "--port="+strconv.Itoa(s.Port),
		"--bind-address=127.0.0.1", "--skip-name-resolve=0", "--init-file="+initial, "--pid-file="+filepath.Join(dir, "pid"),
		"--character-set-server=utf8mb4", "--innodb-flush-log-at-trx-commit=0", "--innodb-buffer-pool-size=32M")
	daemon.Start(t, t.TempDir(), s.Port, args[0], args[1:]...)
	await(t, s.Open(t, ""))
	return s
}

func quoteMySQL(text string) string {
	out := ""
	for _, r := range text {
		if r == '\'' || r == '\\' {
			out += "\\"
		}
		out += string(r)
	}
	return out
}

// Open connects to a database as the administrator, until the test ends.
func (s *MariaDB) Open(t testing.TB, database string) *sql.DB {
	t.Helper()
	return s.OpenAs(t, database, "root", Password)
}

// OpenAs connects to a database as a user, until the test ends.
func (s *MariaDB) OpenAs(t testing.TB, database, user, password string) *sql.DB {
	t.Helper()
	config := mysql.NewConfig()
	config.Net, config.Addr, config.User, config.Passwd, config.DBName = "tcp", daemon.Loopback(s.Port), user, password, database
	connector, err := mysql.NewConnector(config)
	if err != nil {
		t.Fatal(err)
	}
	db := sql.OpenDB(connector)
	t.Cleanup(func() { db.Close() })
	return db
}
