/// A list of embedded objects with one attribute each, modelled naively: its edits are a difference to the server's
/// list.
struct EditedPhones {
    private struct Phone {
        let id: Int
        var value: String
        /// The server's last value; `nil` for a phone that was added locally.
        var received: String?
        var isEdited = false
    }

    private var phones: [Phone] = []
    private var isUnsent = false
    /// The phones that the server knows, in its order, and the values of the locally removed ones.
    private var base: [Int] = []
    private var left: [String] = []
    private var nextID = 0

    var values: [String] { phones.map(\.value) }

    // MARK: Edits

    private mutating func noteEdit() {
        if !isUnsent { (isUnsent, base, left) = (true, phones.map(\.id), []) }
    }

    mutating func set(_ place: Int, to value: String) {
        guard phones[place].value != value else { return }
        noteEdit()
        phones[place].value = value
        phones[place].isEdited = true
    }

    mutating func insert(_ value: String) {
        noteEdit()
        phones.insert(new(value, received: nil), at: 0)
    }

    mutating func dropLast() {
        guard !phones.isEmpty else { return }
        noteEdit()
        let gone = phones.removeLast()
        guard let place = base.firstIndex(of: gone.id) else { return }
        base.remove(at: place)
        left.append(gone.received ?? "")
    }

    private mutating func new(_ value: String, received: String?) -> Phone {
        nextID += 1
        return Phone(id: nextID, value: value, received: received, isEdited: received == nil)
    }

    // MARK: Imports

    mutating func take(_ list: [String]) {
        guard isUnsent else {
            phones = list.map { new($0, received: $0) }
            return
        }
        let known = base.compactMap { id in phones.first { $0.id == id } }
        let rest = withoutLeft(list, beside: known)
        let named = rows(of: rest, among: known)
        let isSame = arrange(named)
        base = named.map(\.id)
        if isSame, left.isEmpty, !named.contains(where: \.isEdited) { isUnsent = false }
    }

    /// The elements except those that were just removed locally.
    private mutating func withoutLeft(_ list: [String], beside known: [Phone]) -> [String] {
        var (received, gone) = (known.compactMap(\.received), left)
        left = []
        return list.filter { value in
            if let place = received.firstIndex(of: value) {
                received.remove(at: place)
            } else if let place = gone.firstIndex(of: value) {
                left.append(gone.remove(at: place))
                return false
            }
            return true
        }
    }

    private mutating func rows(of list: [String], among known: [Phone]) -> [Phone] {
        var found: [Phone?] = Array(repeating: nil, count: list.count)
        var free = known
        func take(_ phone: Phone, at place: Int) {
            guard found[place] == nil, let index = free.firstIndex(where: { $0.id == phone.id }) else { return }
            found[place] = free.remove(at: index)
        }
        for (place, phone) in zip(list.indices, known) where phone.received == list[place] { take(phone, at: place) }
        for place in list.indices where found[place] == nil {
            if let phone = free.first(where: { $0.received == list[place] }) { take(phone, at: place) }
        }
        for (place, phone) in zip(list.indices, known) where !phone.isEdited { take(phone, at: place) }
        return list.indices.map { place in
            guard var phone = found[place] else { return new(list[place], received: list[place]) }
            phone.received = list[place]
            if !phone.isEdited { phone.value = list[place] }
            return phone
        }
    }

    /// - Returns: whether the list is just the server's.
    private mutating func arrange(_ named: [Phone]) -> Bool {
        let (ids, mine) = (named.map(\.id), phones.map(\.id))
        let own = phones.filter { ids.contains($0.id) || !base.contains($0.id) || $0.isEdited }
        if mine.filter(base.contains) == base.filter(mine.contains) {
            var result = named
            var place = 0
            for phone in own {
                if let index = result.firstIndex(where: { $0.id == phone.id }) {
                    place = index + 1
                } else {
                    result.insert(phone, at: place)
                    place += 1
                }
            }
            phones = result
        } else {
            let current = Dictionary(named.map { ($0.id, $0) }) { first, _ in first }
            phones = own.map { current[$0.id] ?? $0 } + named.filter { !mine.contains($0.id) }
        }
        return phones.map(\.id) == ids
    }
}
