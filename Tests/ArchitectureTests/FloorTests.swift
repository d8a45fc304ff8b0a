import Testing

@Suite struct FloorTests {
    @Test func `A file of the object store names only types of its own floor and of lower ones`() throws {
        let files = try SourceFile.all(below: Floors.folder)
        try #require(files.count > 60)
        #expect(Floors.violations(in: files) == [])
    }

    @Test func `Every listed exception to the floors still names its type`() throws {
        let files = try SourceFile.all(below: Floors.folder)
        for exception in Floors.exceptions {
            let file = try #require(files.first { $0.path == "\(Floors.folder)/\(exception.file)" })
            #expect(file.code.contains(exception.type), "\(exception.file) names \(exception.type) no more")
        }
    }

    @Test func `A planted reference to a higher floor, and a file on no floor, are found`() {
        let files = [
            SourceFile(path: "Sources/ObjectStore/Store/Store.swift", text: "public final class Store {}"),
            SourceFile(
                path: "Sources/ObjectStore/Values/Value.swift",
                text: "// Store\nlet text = \"Store\"\nlet other = \"\\(Store.self)\"\n"),
            SourceFile(path: "Sources/ObjectStore/Values/Other.swift", text: "// Store\nlet text = \"Store\"\n"),
            SourceFile(path: "Sources/ObjectStore/Stray.swift", text: ""),
        ]
        #expect(
            Floors.violations(in: files) == [
                "Sources/ObjectStore/Values/Value.swift: names Store, of Store",
                "Sources/ObjectStore/Stray.swift: is on no floor",
            ])
    }
}
