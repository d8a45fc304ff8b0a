import ObjectStore
import RestfulData
import TestSupport
import Testing

/// Random deletions by rule, embedded objects, lists that two contexts edit and identities that meet, against a naive
/// model in memory. After each step the live objects and the file are compared with it.
@MainActor
@Suite struct GraphSimulationTests {
    nonisolated static let seeds = Fuzzing.seeds(100)

    @Test(arguments: seeds)
    func `Relationships in the store match a naive model`(_ seed: UInt64) async throws {
        var simulation = try GraphSimulation(seed: seed)
        for _ in 0..<30 {
            try await simulation.step()
            guard try simulation.agrees() else { return }
        }
        #expect(try simulation.store.check() == [])
    }
}

@MainActor
private struct GraphSimulation {
    struct Oracle: Equatable {
        var shelves: Set<Int> = []
        /// By the book's number: its shelf and pages.
        var books: [Int: Book] = [:]
        /// By the customer's number: the phones.
        var customers: [Int: [String]] = [:]
        /// The notes of the one chapter.
        var notes: [Int] = []
        /// By the user's number: the login.
        var users: [Int: String] = [:]

        struct Book: Equatable {
            var shelf: Int?
            var pages: Set<Int> = []
        }
    }

    let seed: UInt64
    let store: Store
    var generator: SeededGenerator
    var oracle = Oracle()
    /// Objects that are held, so that merges have something to do.
    var held: [any Model] = []
    /// The edits of the phones, by the customer's number.
    var phones: [Int: EditedPhones] = [:]
    /// Users with saved, unsent edits.
    var unsentUsers: Set<Int> = []
    var isListUnsent = false
    var log: [String] = []

    init(seed: UInt64) throws {
        self.seed = seed
        store = try Store(of: [
            Shelf.self, Book.self, Page.self, Tool.self, Customer.self, Address.self, Phone.self, Line.self,
            Country.self,
            Chapter.self, Note.self, User.self, Profile.self, Repository.self, Topic.self, Issue.self, Label.self,
            Comment.self,
        ])
        generator = SeededGenerator(seed: seed)
    }

    private mutating func chance(_ count: Int) -> Int { Int.random(in: 0..<count, using: &generator) }

    mutating func step() async throws {
        switch chance(9) {
        case 0: try await importShelf()
        case 1: try await importBook()
        case 2: try await deleteShelves()
        case 3: try await deleteBook()
        case 4: try await importPhones()
        case 5: try await editPhones()
        case 6: try await editNotesTwice()
        case 7: try await meet()
        default: try await exchangeIdentities()
        }
    }

    // MARK: Rules

    private mutating func importShelf() async throws {
        let number = chance(4)
        log.append("import shelf \(number)")
        held += try await store.main.take(Shelf.self, "{\"id\": \(number)}").objects as [any Model]
        oracle.shelves.insert(number)
    }

    private mutating func importBook() async throws {
        let (number, page) = (chance(6), chance(12))
        let shelf = oracle.shelves.sorted().randomElement(using: &generator)
        log.append("import book \(number) in \(shelf as Any) with \(page)")
        let json = """
            {"id": \(number), "shelf": \(shelf.map { "{\"id\": \($0)}" } ?? "null"), "pages": [{"id": \(page)}]}
            """
        held += try await store.main.take(Book.self, json).objects as [any Model]
        // The page leaves its former book, and the book's former page loses its link.
        for key in oracle.books.keys { oracle.books[key]?.pages.remove(page) }
        oracle.books[number] = Oracle.Book(shelf: shelf, pages: [page])
    }

    /// A shelf, and perhaps its books.
    private mutating func deleteShelves() async throws {
        guard let number = oracle.shelves.sorted().randomElement(using: &generator),
            let shelf = try store.main.find(Shelf.self, number)
        else { return }
        let books = shelf.books.filter { _ in chance(3) > 0 }
        let gone = Set(books.compactMap(\.identifier))
        log.append("delete shelf \(number) and books \(gone.sorted())")
        for book in books { store.main.delete(book) }
        store.main.delete(shelf)
        let left = oracle.books.filter { $0.value.shelf == number && !gone.contains($0.key) }.count
        let count = await denials()
        guard count == left else { return fail("denied by \(count), not \(left)") }
        guard left == 0 else { return store.main.rollback() }
        for number in gone { oracle.books[number] = nil }
        oracle.shelves.remove(number)
    }

    private func denials() async -> Int {
        do {
            try await store.main.save()
            return 0
        } catch {
            guard case .deleteDenied("Shelf", _, "books", let count) = error else { return -1 }
            return count
        }
    }

    private mutating func deleteBook() async throws {
        guard let number = oracle.books.keys.sorted().randomElement(using: &generator) else { return }
        log.append("delete book \(number)")
        if chance(2) == 0 {
            if let book = try store.main.find(Book.self, number) { store.main.delete(book) }
            try await store.main.save()
        } else {
            try await store.background { context in
                if let book = try context.find(Book.self, number) { context.delete(book) }
            }
        }
        oracle.books[number] = nil
    }

    // MARK: Embedded objects

    private mutating func importPhones() async throws {
        let number = chance(3)
        let phones = (0..<chance(4)).map { _ in "\(chance(10))" }
        log.append("import customer \(number) with \(phones)")
        let list = phones.map { "{\"number\": \"\($0)\"}" }.joined(separator: ",")
        try await store.takeElsewhere(Customer.self, "{\"id\": \(number), \"phones\": [\(list)]}")
        self.phones[number, default: EditedPhones()].take(phones)
        oracle.customers[number] = self.phones[number]?.values
    }

    private mutating func editPhones() async throws {
        guard let number = oracle.customers.keys.sorted().randomElement(using: &generator),
            let customer = try store.main.find(Customer.self, number)
        else { return }
        held.append(customer)
        var phones = self.phones[number] ?? EditedPhones()
        if let place = phones.values.indices.randomElement(using: &generator), chance(2) == 0 {
            phones.set(place, to: "e\(chance(10))")
            customer.phones[place].number = phones.values[place]
        } else if chance(2) == 0 {
            let phone = Phone(in: store.main)
            phone.number = "n\(chance(10))"
            phones.insert(phone.number)
            customer.phones.insert(phone, at: 0)
        } else {
            phones.dropLast()
            customer.phones = Array(customer.phones.dropLast())
        }
        log.append("edit customer \(number) to \(phones.values)")
        try await store.main.save()
        self.phones[number] = phones
        oracle.customers[number] = phones.values
    }

    // MARK: A list in two contexts

    private mutating func editNotesTwice() async throws {
        if try store.main.find(Chapter.self, 1) == nil {
            held += try await store.main.take(Chapter.self, #"{"id": 1}"#).objects as [any Model]
        }
        guard let chapter = try store.main.find(Chapter.self, 1) else { return }
        let here = chosenNotes()
        let there = chosenNotes()
        log.append("notes \(oracle.notes): here \(here), there \(there)")
        // Each note is either known to the context or new in it.
        chapter.notes = try here.map { try Self.note($0, store.main) }
        try await store.background { context in
            guard let chapter = try context.find(Chapter.self, 1) else { return }
            chapter.notes = try there.map { try Self.note($0, context) }
        }
        let base = oracle.notes
        try await store.main.save()
        // Notes removed from the list elsewhere are deleted, as the chapter owns them.
        oracle.notes =
            here == base
            ? there
            : here.filter { there.contains($0) || !base.contains($0) }
                + there.filter { !base.contains($0) && !here.contains($0) }
    }

    private nonisolated static func note(_ number: Int, _ context: ObjectContext) throws -> Note {
        if let note = try context.query(Note.self).where({ $0.identifier == number }).first() { return note }
        let note = Note(in: context)
        note.identifier = number
        return note
    }

    /// Some of those that are there, and one that never was.
    private mutating func chosenNotes() -> [Int] {
        var notes = oracle.notes.filter { _ in chance(4) > 0 }.shuffled(using: &generator)
        nextNote += 1
        if chance(2) == 0 { notes.insert(nextNote, at: chance(notes.count + 1)) }
        return notes
    }

    private var nextNote = 0

    // MARK: Identities

    /// A locally created object and an imported one.
    private mutating func meet() async throws {
        let number = chance(4)
        guard oracle.users[number] == nil else { return }
        let user = User(in: store.main)
        user.identifier = number
        let isNamed = chance(2) == 0
        if isNamed { user.login = "mine" }
        log.append("user \(number) here and from an import")
        try await store.takeElsewhere(User.self, "{\"id\": \(number), \"login\": \"theirs\"}")
        guard try store.main.find(User.self, number) === user else { return fail("two users \(number)") }
        held.append(user)
        try await store.main.save()
        oracle.users[number] = isNamed ? "mine" : "theirs"
    }

    /// Two users swap their identities, or one is made anew.
    private mutating func exchangeIdentities() async throws {
        let numbers = oracle.users.keys.sorted().shuffled(using: &generator)
        guard let first = numbers.first, let user = try store.main.find(User.self, first) else { return }
        if numbers.count > 1, chance(2) == 0, let other = try store.main.find(User.self, numbers[1]) {
            log.append("swap users \(first) and \(numbers[1])")
            (user.identifier, other.identifier) = (numbers[1], first)
            let login = oracle.users[first]
            oracle.users[first] = oracle.users[numbers[1]]
            oracle.users[numbers[1]] = login
        } else {
            log.append("make user \(first) anew")
            let new = User(in: store.main)
            new.identifier = first
            new.login = "new"
            store.main.delete(user)
            oracle.users[first] = "new"
        }
        try await store.main.save()
    }

    // MARK: Comparing

    private func read(_ context: ObjectContext) throws -> Oracle {
        var read = Oracle()
        read.shelves = Set(try context.query(Shelf.self).fetch().compactMap(\.identifier))
        for book in try context.query(Book.self).fetch() {
            read.books[book.identifier ?? -1] = Oracle.Book(
                shelf: book.shelf?.identifier, pages: Set(book.pages.compactMap(\.identifier)))
        }
        for customer in try context.query(Customer.self).fetch() {
            read.customers[customer.identifier ?? -1] = customer.phones.map(\.number)
        }
        read.notes = try context.find(Chapter.self, 1)?.notes.compactMap(\.identifier) ?? []
        for user in try context.query(User.self).fetch() { read.users[user.identifier ?? -1] = user.login }
        return read
    }

    private func fail(_ message: String) {
        Testing.Issue.record("seed \(seed): \(message)\n\(log.joined(separator: "\n"))")
    }

    /// The live objects, and the objects that a new context reads from the file.
    func agrees() throws -> Bool {
        let now = try read(store.main)
        guard now == oracle else {
            fail("main says \(now), not \(oracle)")
            return false
        }
        let database = try Database(store.path)
        let phones = try database.value("SELECT count(*) FROM phone").flatMap { Int($0) }
        guard phones == oracle.customers.values.reduce(0, { $0 + $1.count }) else {
            fail("the file has \(phones ?? 0) phones")
            return false
        }
        return true
    }
}
