import JSONBytes
import Testing

@Suite struct KeyTests {
    static let names = [
        "", "a", "id", "url", "node", "login", "node_id", "html_url", "avatar_url", "description",
        "received_event", "received_events", "received_events_u", "author_association", "received_events_url",
        "a name of more than thirty-two bytes, which compares in blocks", "naïve", "日本語", "quo\"te", "back\\slash",
        "tab\t", "+1", "-1", "_links",
    ]

    @Test func `Every name is found and guessed from the table`() throws {
        let table = JSONNameTable(Self.names)
        #expect(table.count == Self.names.count)
        for (index, name) in Self.names.enumerated() {
            // Followed by much and by nothing: both ends of the bounds checks.
            for rest in ["1}", "\"\(String(repeating: "x", count: 40))\"}"] {
                try withReader("{\(quoted(name)):\(rest)") { reader in
                    _ = try reader.enterObject()
                    var copy = reader
                    #expect(table.index(of: try copy.readKey(), in: copy) == index)
                    for other in Self.names.indices where other != index {
                        let wrong = unsafe reader.readKey(expecting: table.name(at: other))
                        #expect(!wrong)
                    }
                    let right = unsafe reader.readKey(expecting: table.name(at: index))
                    #expect(right)
                    #expect(reader.offset == copy.offset)
                }
            }
        }
    }

    @Test(arguments: [
        "x", "i", "idx", "ID", "html_urL", "Html_url", "received_events_urL", "receivedXevents_url", "aa",
    ])
    func `Unknown names are not found`(_ name: String) throws {
        let table = JSONNameTable(Self.names)
        try withReader("{\"\(name)\":1}") { reader in
            _ = try reader.enterObject()
            for index in Self.names.indices {
                let guessed = unsafe reader.readKey(expecting: table.name(at: index))
                #expect(!guessed)
            }
            #expect(table.index(of: try reader.readKey(), in: reader) == nil)
        }
    }

    @Test func `A name that differs in any one byte is not found`() throws {
        for count in 1...70 {
            let name = (0..<count).map { UInt8(ascii: "a") + UInt8($0 % 26) }
            let table = JSONNameTable([String(decoding: name, as: UTF8.self)])
            for index in 0..<count {
                var other = name
                other[index] ^= 1
                try withReader(Array("{\"".utf8) + other + Array("\":\"some more bytes\"}".utf8)) { reader in
                    _ = try reader.enterObject()
                    let guessed = unsafe reader.readKey(expecting: table.name(at: 0))
                    #expect(!guessed, "\(count) bytes, differing at \(index)")
                    #expect(table.index(of: try reader.readKey(), in: reader) == nil)
                }
            }
        }
    }

    @Test func `An escaped key is found in the table but not guessed`() throws {
        let table = JSONNameTable(["login"])
        try withReader(#"{"\u006cogin":1}"#) { reader in
            _ = try reader.enterObject()
            let guessed = unsafe reader.readKey(expecting: table.name(at: 0))
            #expect(!guessed)
            let key = try reader.readKey()
            #expect(table.index(of: key, in: reader) == 0)
            #expect(reader.isEqual(key, to: "login"))
        }
    }

    @Test func `Keys of one object are the guesses for the next`() throws {
        try withReader(#"[{"login":1,"\u0069d":2,"spaced" :3},{"login":1,"\u0069d":2,"spaced" :3}]"#) { reader in
            _ = try reader.enterArray()
            var names: [JSONName?] = []
            _ = try reader.enterObject()
            repeat {
                names.append(reader.name(of: try reader.readKey()))
                _ = try reader.readScalar()
            } while try reader.continueObject()
            #expect(names.map { $0 == nil } == [false, false, true])
            _ = try reader.continueArray()
            _ = try reader.enterObject()
            for name in names.compactMap(\.self) {
                let guessed = reader.readKey(expecting: name)
                #expect(guessed)
                _ = try reader.readScalar()
                _ = try reader.continueObject()
            }
            #expect(reader.string(try reader.readKey()) == "spaced")
        }
    }

    @Test func `A guessed key is found after white space`() throws {
        let table = JSONNameTable(["id", "a_longer_name"])
        try withReader("{\n            \"id\": 1,\n\t\"a_longer_name\": 2 }") { reader in
            _ = try reader.enterObject()
            for index in 0..<2 {
                let guessed = unsafe reader.readKey(expecting: table.name(at: index))
                #expect(guessed)
                _ = try reader.readScalar()
                _ = try reader.continueObject()
            }
            try reader.finish()
        }
    }

    @Test func `The first of several equal names is found`() throws {
        let table = JSONNameTable(["b", "a", "a"])
        unsafe withExactCopy(Array("a".utf8)) { unsafe #expect(table.index(of: $0) == 1) }
        unsafe withExactCopy([]) { unsafe #expect(JSONNameTable([]).index(of: $0) == nil) }
    }

    private func quoted(_ name: String) -> String {
        let escaped = name.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\t", with: "\\u0009")
        return "\"\(escaped)\""
    }
}
