import Testing

/// Labels distinguish parameters: at most two of a function may be unlabelled.
@Suite struct LabelTests {
    /// The exceptions, with reasons.
    static let exceptions: [String: String] = [
        "Sources/ObjectStore/Models/Declaration.swift": "called by the code that macros write, by position",
        "Sources/ObjectStore/Models/Declaration+Misuse.swift": "called by the code that macros write, by position",
        "Sources/ObjectStore/Models/Declaration+SwiftTypes.swift": "called by the code that macros write, by position",
        "Sources/ObjectStore/Models/ModelDescription.swift": "called by the code that macros write, by position",
        "Sources/ObjectStore/Models/Validation.swift": "public: `check(\\.title, !title.isEmpty, \"can't be blank\")`",
        "Sources/ObjectStore/Objects/ResponseParts.swift": "called by the code that macros write, by position",
        "Sources/RestfulData/Client/API+Requests.swift": "public: `send(.put, \"/path/:id\", [\"id\": 7])`",
        "Sources/RestfulData/Operations/ResponseBody+Fetching.swift":
            "public: `send(.put, \"/path/:id\", [\"id\": 7])`",
    ]

    @Test func `At most two parameters of a declaration have no label`() throws {
        try #require(Project.sources.count > 100)
        let findings = Project.sources.filter { Self.exceptions[$0.path] == nil }.flatMap(Self.findings)
        #expect(findings == [])
    }

    @Test(arguments: exceptions.keys.sorted())
    func `Every file exempt from the rule about labels still breaks it`(_ path: String) throws {
        let file = try #require(Project.sources.first { $0.path == path })
        #expect(!Self.findings(file).isEmpty)
    }

    @Test(arguments: [
        ("func a(_ b: Int, _ c: Int)", 0), ("func a(_ b: Int, _ c: Int, _ d: Int)", 1),
        ("func a<T: Sequence<Int>>(_ b: (Int, Int), _ c: [Int: (Int, Int)],\n    _ d: T\n)", 1),
        ("init(_ a: Int, b: Int, _ c: () -> (Int, Int), d: Int)", 0), ("init?(_ a: Int, _ b: Int, _ c: Int)", 1),
        ("let text = \"func a(_ b: Int, _ c: Int, _ d: Int)\"", 0),
    ])
    func `Parameters without labels are counted in every form of declaration`(_ text: String, _ count: Int) {
        #expect(Self.findings(SourceFile(path: "A.swift", text: text)).count == count)
    }

    private static func findings(_ file: SourceFile) -> [String] {
        file.functions.filter { $0.unlabelledCount > 2 }.map {
            "\(file.path):\($0.line): \($0.name) has \($0.unlabelledCount) parameters without labels"
        }
    }
}
