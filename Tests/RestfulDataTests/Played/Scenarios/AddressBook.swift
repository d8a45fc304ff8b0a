import Foundation
import RestfulData

@Model("/people") final class BookPerson {
    var identifier: Int?
    /// Makes a second creation equal to the first.
    var uid = ""
    var name = ""
    var email: String?
    var note: String?
    @Relationship(inverse: nil) var home: BookAddress?
    var employer: BookCompany?
}

@Model(embedded: true) final class BookAddress {
    var street = ""
    var city: String?
}

@Model("/companies") final class BookCompany {
    var identifier: Int?
    var name = ""
    @Relationship(inverse: "employer") var people: [BookPerson]
}

/// An address book whose people are edited in forms, and in forms over forms, that are saved, sent, rolled back and
/// closed, while others annotate and delete.
final class AddressBook: Scenario {
    enum Field: String, CaseIterable, Sendable { case name, email, city, employer }

    enum Step: Sendable {
        /// Over the main context, or over a form.
        case open(over: Int)
        case edit(Int, person: Int, Field, value: Int)
        case make(Int)
        case rollBack(Int, person: Int, Field)
        case rollBackAll(Int)
        /// Saves into the form's base.
        case save(Int)
        case close(Int)
        /// From the form itself.
        case send(Int, person: Int)
        case delete(Int, person: Int)
        case saveLocally, sync, fetchAll, restart
        case fetch(Int)
        case othersDelete(Int)
        case othersAnnotate(Int, note: Int)
    }

    let stage: Stage
    /// The main context, and the forms over it.
    var layers: [Layer] = []
    /// People deleted by others or a form.
    var gone: Set<String> = []
    /// The people with a request in flight, so that the next one would wait.
    private var busy: Set<String> = []
    private var isSyncing = false
    private var clock = 0

    init(variant: Int) async throws {
        stage = try Stage([BookPerson.self, BookAddress.self, BookCompany.self])
        stage.server.with { Self.begin(&$0, embeds: variant % 2 == 0) }
        layers = [Layer(stage.main)]
        let people = try await BookPerson.fetchAll(in: stage.main)
        _ = try await BookCompany.fetchAll(in: stage.main)
        for person in people {
            layers[0].entries[person.uid] = Dictionary(
                uniqueKeysWithValues: Field.allCases.map { ($0, Entry(value: $0.value(of: person), isPending: false)) })
        }
    }

    static func step(_ dice: inout Dice) -> Step {
        let (layer, person) = (dice.pick(), dice.pick())
        let field = Field.allCases[dice.roll(4)]
        switch dice.roll(24) {
        case 0, 1: return .open(over: layer)
        case 2...6: return .edit(layer, person: person, field, value: dice.pick())
        case 7: return .make(layer)
        case 8: return dice.roll(3) == 0 ? .rollBackAll(layer) : .rollBack(layer, person: person, field)
        case 9, 10: return .save(layer)
        case 11: return .close(layer)
        case 12...14: return .send(layer, person: person)
        case 15: return dice.roll(3) == 0 ? .delete(layer, person: person) : .saveLocally
        case 16: return .saveLocally
        case 17...19: return .sync
        case 20: return .fetchAll
        case 21: return .fetch(person)
        case 22: return dice.roll(4) == 0 ? .othersDelete(person) : .othersAnnotate(person, note: dice.roll(5))
        default: return dice.flip() ? .restart : .sync
        }
    }

    // MARK: State

    /// A value that was set in a layer and that those below it don't have yet. In the main context, the shown value.
    struct Entry {
        var value: String?
        var time = 0
        /// Of the main context: whether it waits to be sent.
        var isPending = true
        /// In the main context: values that a request with an unknown outcome may have set at the server.
        var doubtful: Set<String?> = []
    }

    final class Layer {
        let context: ObjectContext
        let draft: Draft?
        /// The layer below.
        let base: Layer?
        /// By person.
        var entries: [String: [Field: Entry]] = [:]
        /// The people that are new in this layer.
        var new: [String: BookPerson] = [:]

        init(_ context: ObjectContext) { (self.context, draft, base) = (context, nil, nil) }

        init(over base: Layer) throws {
            let draft = try base.context.draft()
            (context, self.draft, self.base) = (draft.context, draft, base)
        }

        /// From this one down to the main context's.
        var chain: [Layer] { [self] + (base?.chain ?? []) }

        /// The people visible in this layer.
        var people: Set<String> { Set(chain.flatMap { $0.entries.keys }) }

        /// The visible value, and the layer in which it was set.
        func entry(of person: String, _ field: Field) -> (entry: Entry, layer: Layer)? {
            for layer in chain {
                if let entry = layer.entries[person]?[field] { return (entry, layer) }
            }
            return nil
        }

        func object(_ person: String) throws -> BookPerson? {
            for layer in chain {
                if let object = layer.new[person] { return layer === self ? object : context.object(for: object) }
            }
            return try context.query(BookPerson.self).where { $0.uid == person }.fetch().first
        }
    }

    private func layer(_ pick: Int) -> Layer { layers[pick % layers.count] }

    private func form(_ pick: Int) -> Layer? { layers.count > 1 ? layers[1 + pick % (layers.count - 1)] : nil }

    private func person(_ pick: Int, in layer: Layer) -> String? {
        let people = layer.people.subtracting(gone).sorted()
        return people.isEmpty ? nil : people[pick % people.count]
    }

    private func name(_ layer: Layer) -> String {
        "\(layers.firstIndex { $0 === layer }.map { $0 == 0 ? "main" : "form \($0)" } ?? "a closed form")"
    }

    private func now() -> Int {
        clock += 1
        return clock
    }

    // MARK: Steps

    func take(_ step: Step) async throws -> String? {
        switch step {
        case .open(let pick):
            guard layers.count < 4 else { return nil }
            let base = layer(pick)
            layers.append(try Layer(over: base))
            return "open form \(layers.count - 1) over \(name(base))"
        case .edit(let pick, let person, let field, let value):
            let layer = layer(pick)
            guard let person = self.person(person, in: layer) else { return nil }
            return try edit(person, field, to: value, in: layer)
        case .make(let pick): return make(in: layer(pick))
        case .rollBack, .rollBackAll, .save, .close: return try takeInForm(step)
        case .send(let pick, let person):
            let layer = layer(pick)
            guard let person = self.person(person, in: layer), !busy.contains(person) else { return nil }
            return try send(person, from: layer)
        case .delete(let pick, let person):
            let layer = layer(pick)
            guard let person = self.person(person, in: layer), !busy.contains(person),
                let object = try layer.object(person), object.identifier != nil
            else { return nil }
            stage.begin { try await self.delete(person, object) }
            return "\(name(layer)) deletes \(person) at the server"
        case .saveLocally:
            await stage.attempt { try await stage.main.save() }
            return "save locally"
        case .sync:
            stage.begin { await self.sync() }
            return "sync"
        case .fetchAll:
            stage.begin { [main = stage.main] in
                _ = try await BookPerson.fetchAll(pages: .all(), prune: .delete, in: main)
            }
            return "fetch all"
        case .fetch(let pick):
            guard let person = self.person(pick, in: layers[0]), !busy.contains(person),
                let object = try layers[0].object(person), object.identifier != nil
            else { return nil }
            busy.insert(person)
            stage.begin {
                defer { self.busy.remove(person) }
                _ = try await object.fetch()
            }
            return "fetch \(person)"
        case .othersDelete, .othersAnnotate: return takeElsewhere(step)
        case .restart:
            layers.removeLast(layers.count - 1)
            try await stage.restart { await stage.attempt { try await stage.main.save() } }
            let main = Layer(stage.main)
            main.entries = layers[0].entries
            layers = [main]
            return "close all forms and restart"
        }
    }

    private func takeInForm(_ step: Step) throws -> String? {
        switch step {
        case .rollBack(let pick, let person, let field):
            guard let form = form(pick), let person = self.person(person, in: form), form.new[person] == nil,
                !busy.contains(person), let object = try form.object(person)
            else { return nil }
            field.rollBack(object)
            form.entries[person]?[field] = nil
            return "\(name(form)) rolls back \(field) of \(person)"
        case .rollBackAll(let pick):
            guard let form = form(pick), busy.isEmpty else { return nil }
            form.draft?.rollback()
            (form.entries, form.new) = ([:], [:])
            // A form over this one may have edited a person that is new in it.
            for layer in layers { layer.entries = layer.entries.filter { layer.canSee($0.key) } }
            return "\(name(form)) rolls back all"
        case .save(let pick):
            guard let form = form(pick), let base = form.base else { return nil }
            try save(form)
            for (person, fields) in form.entries.sorted(by: { $0.key < $1.key }) {
                // A new person's default values come from its creation, and have no time.
                for (field, entry) in fields where entry.time > 0 { set(entry.value, of: person, field, in: base) }
                for (field, entry) in fields where entry.time == 0 {
                    base.entries[person, default: [:]][field] = entry
                }
            }
            for (person, object) in form.new { base.new[person] = base.context.object(for: object) }
            (form.entries, form.new) = ([:], [:])
            return "\(name(form)) is saved into \(name(base))"
        case .close(let pick):
            guard let form = form(pick) else { return nil }
            let text = "\(name(form)) is closed"
            layers.removeAll { $0.chain.contains { $0 === form } }
            return text
        default: return nil
        }
    }

    /// Saves a form. Its edits of deleted people are lost, which is an error, and the others are saved.
    private func save(_ form: Layer) throws {
        do { try form.draft?.save() } catch {
            guard case StoreError.deletedObject = error, !gone.isEmpty else { throw error }
        }
    }

    private func takeElsewhere(_ step: Step) -> String? {
        switch step {
        case .othersDelete(let pick):
            guard let row = rowAtServer(pick) else { return nil }
            gone.insert(row.text("uid"))
            stage.server.with { $0.remove("people", row.id) }
            return "others delete \(row.text("uid"))"
        case .othersAnnotate(let pick, let note):
            guard let row = rowAtServer(pick) else { return nil }
            stage.server.with { $0.change("people", row.id, ["note": .string("n\(note)")]) }
            return "others annotate \(row.text("uid")) n\(note)"
        default: return nil
        }
    }

    private func rowAtServer(_ pick: Int) -> PlayRow? {
        let rows = stage.server.with { $0.tables["people"] ?? [] }
        return rows.isEmpty ? nil : rows[pick % rows.count]
    }

    private func set(_ value: String?, of person: String, _ field: Field, in layer: Layer) {
        let doubtful = layer.entries[person]?[field]?.doubtful ?? []
        layer.entries[person, default: [:]][field] = Entry(value: value, time: now(), doubtful: doubtful)
    }

    private func edit(_ person: String, _ field: Field, to pick: Int, in layer: Layer) throws -> String? {
        guard let object = try layer.object(person) else { throw Missing(what: "\(person) in \(name(layer))") }
        var value = "\(field.rawValue) \(now())"
        if field == .employer {
            // Another value than the shown one, because setting that is no edit.
            let shown = Set(layers.compactMap { $0.entry(of: person, field)?.entry.value })
            let others = (1...6).map { "\($0)" }.filter { !shown.contains($0) }
            value = others[pick % others.count]
        }
        if field == .employer, pick % 2 == 0 {
            // By its list.
            try layer.context.find(BookCompany.self, Int(value) ?? 0)?.people.append(object)
        } else {
            try field.set(value, of: object, in: layer.context)
        }
        set(value, of: person, field, in: layer)
        return
            "\(name(layer)): \(person).\(field) = \(value)\(field == .employer && pick % 2 == 0 ? ", by its list" : "")"
    }

    private func make(in layer: Layer) -> String {
        let person = BookPerson(in: layer.context)
        person.uid = "u\(now())"
        layer.new[person.uid] = person
        for field in Field.allCases {
            layer.entries[person.uid, default: [:]][field] = Entry(value: field.value(of: person))
        }
        return "\(name(layer)) makes \(person.uid)"
    }

    // MARK: Requests

    private func send(_ person: String, from layer: Layer) throws -> String? {
        guard let object = try layer.object(person) else { throw Missing(what: "\(person) in \(name(layer))") }
        stage.begin { await self.send(person, object, from: layer) }
        return "\(name(layer)) sends \(person)"
    }

    private func send(_ person: String, _ object: BookPerson, from layer: Layer) async {
        guard busy.insert(person).inserted else { return }
        defer { busy.remove(person) }
        let sent = Dictionary(
            uniqueKeysWithValues: Field.allCases.compactMap { field in
                layer.entry(of: person, field).map { (field, $0.entry) }
            })
        for (field, entry) in sent { layers[0].entries[person]?[field]?.doubtful.insert(entry.value) }
        let isNew = object.identifier == nil
        let error = await stage.attempt {
            if isNew { try await object.create() } else { try await object.save() }
        }
        if error == nil { confirm(sent, of: person, from: layer) }
    }

    /// Sent values are shown in all layers, later edits stay.
    private func confirm(_ sent: [Field: Entry], of person: String, from layer: Layer) {
        for part in layer.chain {
            part.new[person] = nil
            for (field, entry) in sent where part.entries[person]?[field].map({ $0.time <= entry.time }) ?? false {
                part.entries[person]?[field] = nil
            }
        }
        for (field, entry) in sent where layers[0].entries[person]?[field] == nil {
            // Only edited properties were sent.
            layers[0].entries[person, default: [:]][field] = Entry(
                value: entry.value, time: entry.time, isPending: false, doubtful: entry.isPending ? [] : entry.doubtful)
        }
    }

    private func delete(_ person: String, _ object: BookPerson) async throws {
        guard busy.insert(person).inserted else { return }
        defer { busy.remove(person) }
        gone.insert(person)
        try await object.delete()
    }

    private func sync() async {
        guard !isSyncing else { return }
        isSyncing = true
        defer { isSyncing = false }
        let main = layers[0]
        for person in main.people.subtracting(gone).sorted() where !busy.contains(person) {
            guard let object = try? main.object(person), !object.isDeleted,
                object.identifier == nil || !object.unsentProperties.isEmpty
            else { continue }
            await send(person, object, from: main)
        }
    }

    // MARK: Looking

    func problem() throws -> String? {
        for layer in layers {
            for person in layer.people.subtracting(gone).sorted() {
                guard let object = try layer.object(person) else { return "\(person) is not in \(name(layer))" }
                for field in Field.allCases {
                    if let problem = problem(of: field, of: person, object, in: layer) { return problem }
                }
            }
        }
        return nil
    }

    private func problem(of field: Field, of person: String, _ object: BookPerson, in layer: Layer) -> String? {
        guard let (entry, source) = layer.entry(of: person, field) else { return nil }
        let here = field.value(of: object)
        let isKnown = source.base == nil && !entry.isPending && entry.doubtful.contains(here)
        if here != entry.value, !isKnown {
            let wanted = "set was \(entry.value ?? "nil") in \(name(source))"
            return "\(name(layer)) shows \(here ?? "nil") as \(person).\(field), \(wanted)"
        }
        guard field == .employer, let employer = object.employer else { return nil }
        return employer.people.contains { $0 === object }
            ? nil : "\(person) is not among its employer's, in \(name(layer))"
    }

    func finish() async throws -> String? {
        layers.removeLast(layers.count - 1)
        for _ in 0..<3 { await sync() }
        _ = try await BookPerson.fetchAll(pages: .all(), prune: .delete, in: stage.main)
        await stage.attempt { try await stage.main.save() }
        if let problem = try problem() { return "synchronized, \(problem)" }
        // Edits of a person that others have deleted stay until the next fetch.
        let people = try stage.main.query(BookPerson.self).order(by: { $0.uid }).fetch().filter {
            !gone.contains($0.uid)
        }
        let unsent = people.filter { !$0.unsentProperties.isEmpty || $0.hasChanges || $0.identifier == nil }
        guard unsent.isEmpty else { return "unsent: \(unsent.map { "\($0.uid) \($0.unsentProperties)" })" }
        let here = people.map { person in
            "\(person.uid) " + Field.allCases.map { $0.value(of: person) ?? "nil" }.joined(separator: ", ")
                + " \(person.note ?? "nil")"
        }
        let there = stage.server.with { [gone] world in
            (world.tables["people"] ?? []).filter { !gone.contains($0.text("uid")) }.map { row in
                "\(row.text("uid")) " + Field.allCases.map { $0.value(of: row) ?? "nil" }.joined(separator: ", ")
                    + " \(row["note"]?.string ?? "nil")"
            }
        }.sorted()
        guard here.sorted() == there else { return "here is \(here), the server has \(there)" }
        let lost = layers[0].people.subtracting(gone).subtracting(people.map(\.uid))
        return lost.isEmpty ? nil : "\(lost) are lost"
    }
}

extension AddressBook.Layer {
    fileprivate func canSee(_ person: String) -> Bool {
        chain.contains { $0.new[person] != nil } || chain.last?.entries[person] != nil
    }
}

extension AddressBook.Field {
    @MainActor fileprivate func value(of person: BookPerson) -> String? {
        switch self {
        case .name: person.name
        case .email: person.email
        case .city: person.home?.city
        case .employer: person.employer?.identifier.map { "\($0)" }
        }
    }

    fileprivate func value(of row: PlayRow) -> String? {
        switch self {
        case .name: row.text("name")
        case .email: row["email"]?.string
        case .city: row["home"]?["city"]?.string
        case .employer: row["employer_id"]?.integer.map { "\($0)" }
        }
    }

    @MainActor fileprivate func set(_ value: String, of person: BookPerson, in context: ObjectContext) throws {
        switch self {
        case .name: person.name = value
        case .email: person.email = value
        case .employer: person.employer = try context.find(BookCompany.self, Int(value) ?? 0)
        case .city:
            if person.home == nil { person.home = BookAddress(in: context) }
            person.home?.city = value
        }
    }

    @MainActor fileprivate func rollBack(_ person: BookPerson) {
        switch self {
        case .name: person.rollback(\.name)
        case .email: person.rollback(\.email)
        case .city: person.rollback(\.home)
        case .employer: person.rollback(\.employer)
        }
    }
}

// MARK: - The service

extension AddressBook {
    nonisolated private static func begin(_ world: inout PlayWorld, embeds: Bool) {
        world.uniqueKeys = ["people": "uid"]
        world.tables["companies"] = (1...6).map { ["id": .int($0), "name": .string("c\($0)")] }
        for id in 1...3 {
            world.insert(
                "people",
                [
                    "id": .int(id), "uid": .string("s\(id)"), "name": "Ada", "email": .null, "note": .null,
                    "home": ["street": "Main", "city": "Rome"], "employer_id": .int(id),
                ])
        }
        world.taking = { world, table, row, body in
            if table == "companies" {
                world.takeMembers("person_ids", of: &row, from: body, "people", link: "employer_id")
                world.takeMembers("people_ids", of: &row, from: body, "people", link: "employer_id")
            }
            return [:]
        }
        world.showing = { world, table, row in
            guard embeds, table == "people", let company = row["employer_id"]?.integer else { return row }
            var row = row
            row["employer_id"] = nil
            row["employer"] = world.row("companies", "\(company)").map { .object($0) } ?? .null
            return row
        }
    }
}
