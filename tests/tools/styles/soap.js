// Members of a club, by SOAP 1.1.
const fs = require('fs')
const path = require('path')
const soap = require('soap')

const members = new Map()

const fault = (code, text) => ({Fault: {faultcode: `soap:${code}`, faultstring: text, statusCode: 500}})
const found = name => {
  if (!members.has(name)) throw fault('Client.NotFound', `there is no member ${name}`)
  return members.get(name)
}
const list = value => value === undefined || value === null || value === '' ? [] : [].concat(value)
const stored = ({name, level, roles}) => ({name, level: Number(level), roles: {role: list(roles?.role)}, since: '2026-01-02'})

const service = {
  Club: {
    Members: {
      AddMember: ({member}) => {
        if (members.has(member.name)) throw fault('Client.Taken', `there is a member ${member.name}`)
        members.set(member.name, stored(member))
        return {member: members.get(member.name)}
      },
      GetMember: ({name}) => ({member: found(name)}),
      SetMember: ({member}) => {
        found(member.name)
        members.set(member.name, stored(member))
        return {member: members.get(member.name)}
      },
      RemoveMember: ({name}) => {
        found(name)
        members.delete(name)
        return {}
      },
    },
  },
}

const listen = server => soap.listen(server, '/soap', service, fs.readFileSync(path.join(__dirname, 'club.wsdl'), 'utf8'))

module.exports = {listen, all: () => [...members.values()]}
