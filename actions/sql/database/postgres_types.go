package database

import (
	"context"
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgtype"
)

// plain returns a value that pgx decoded for database/sql: numbers without a fixed size, JSON,
// arrays and types that it does not know as text.
func (p postgres) plain(v any, column string) (any, error) {
	switch v := v.(type) {
	case time.Time:
		return postgresTime(v, column), nil
	case float64:
		if text, err := json.Marshal(float32(v)); column == "FLOAT4" && err == nil { // which pgx widens
			return json.Number(text), nil
		}
		return v, nil
	case []byte:
		switch column {
		case "JSON", "JSONB":
			return jsonValue(v), nil
		case "XML":
			return string(v), nil
		}
		return v, nil
	case string:
		return p.fromText(v, column)
	default:
		return v, nil
	}
}

// postgresTime returns a date or time in the form of RFC 3339. That has no years before Christ;
// PostgreSQL reads and writes them with BC at the end.
func postgresTime(t time.Time, column string) string {
	layout := "-01-02T15:04:05.999999999Z07:00"
	switch column {
	case "DATE":
		layout = "-01-02"
	case "TIMESTAMP":
		layout = "-01-02T15:04:05.999999999"
	default:
		t = t.UTC()
	}
	year, era := t.Year(), ""
	if year <= 0 { // 1 BC is year 0
		year, era = 1-year, " BC"
	}
	return fmt.Sprintf("%04d", year) + t.Format(layout) + era
}

// fromText returns a value that the server has sent as text, as it does all elements of arrays.
// They get the form of scalars.
func (p postgres) fromText(text, column string) (any, error) {
	if element, isArray := strings.CutPrefix(column, "_"); isArray {
		return p.array(text, element)
	}
	switch column {
	case "NUMERIC", "INT2", "INT4", "INT8", "OID", "XID", "CID", "FLOAT4", "FLOAT8":
		return number(text), nil
	case "BOOL":
		return text == "t" || text == "true", nil
	case "JSON", "JSONB":
		return jsonValue(text), nil
	case "DATE":
		return scanned(text, pgtype.DateOID, &pgtype.Date{}, column)
	case "TIMESTAMP":
		return scanned(text, pgtype.TimestampOID, &pgtype.Timestamp{}, column)
	case "TIMESTAMPTZ":
		return scanned(text, pgtype.TimestamptzOID, &pgtype.Timestamptz{}, column)
	case "BYTEA":
		var bytes []byte
		err := pgtype.NewMap().Scan(pgtype.ByteaOID, pgtype.TextFormatCode, []byte(text), &bytes)
		return bytes, err
	default:
		return text, nil
	}
}

// scanned returns a date or time that is text.
func scanned(text string, oid uint32, into interface{ Value() (driver.Value, error) }, column string) (any, error) {
	if err := pgtype.NewMap().Scan(oid, pgtype.TextFormatCode, []byte(text), into); err != nil {
		return nil, fmt.Errorf("%q cannot be read as %s: cast it to text", text, strings.ToLower(column))
	}
	v, err := into.Value()
	if t, isTime := v.(time.Time); isTime {
		return postgresTime(t, column), err
	}
	return v, err // infinity
}

// array returns the elements of an array, as lists of lists if it has several dimensions.
func (p postgres) array(text, element string) (any, error) {
	if element == "BOX" { // its elements are separated by semicolons
		return text, nil
	}
	var list pgtype.Array[*string]
	if err := pgtype.NewMap().SQLScanner(&list).Scan(text); err != nil {
		return nil, fmt.Errorf("an array of %s cannot be read: cast it to text", strings.ToLower(element))
	}
	out := make([]any, len(list.Elements))
	for i, e := range list.Elements {
		if e == nil {
			continue
		}
		var err error
		if out[i], err = p.fromText(*e, element); err != nil {
			return nil, err
		}
	}
	for i := len(list.Dims) - 1; i > 0; i-- {
		out = inRows(out, int(list.Dims[i].Length))
	}
	return out, nil
}

// inRows returns the elements in lists of a length.
func inRows(elements []any, length int) []any {
	var out []any
	for row := range slices.Chunk(elements, length) {
		out = append(out, any(slices.Clone(row)))
	}
	return out
}

// elementsQuery asks for the type of the elements of an array. Where that is a domain, it
// asks for the type below it.
const elementsQuery = `with recursive element(oid, below) as (
	select e.oid, e.typbasetype from pg_catalog.pg_type t join pg_catalog.pg_type e on e.oid = t.typelem where t.oid = $1 and t.typcategory = 'A'
	union all select t.oid, t.typbasetype from element join pg_catalog.pg_type t on t.oid = element.below
) select oid::int8 from element where below = 0`

// arrayOf returns the name of an array type as plain expects it, for a type of the database that
// pgx does not know: an enum, a domain, or one of an extension. It returns "" for another type.
func (postgres) arrayOf(ctx context.Context, on querier, column string) (string, error) {
	if _, err := strconv.ParseUint(column, 10, 32); err != nil {
		return "", nil
	}
	rows, err := on.QueryContext(ctx, elementsQuery, column)
	if err != nil {
		return "", err
	}
	defer rows.Close()
	if !rows.Next() {
		return "", rows.Err()
	}
	var oid int64
	if err := rows.Scan(&oid); err != nil {
		return "", err
	}
	name := strconv.FormatInt(oid, 10)
	if known, ok := pgtype.NewMap().TypeForOID(uint32(oid)); ok {
		name = strings.ToUpper(known.Name)
	}
	return "_" + name, rows.Err()
}
