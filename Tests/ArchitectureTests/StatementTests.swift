import Testing

/// Statements are written where the tables are known, and nowhere else.
@Suite struct StatementTests {
    @Test func `Names are quoted for SQL in nine files at most`() throws {
        let files = try SourceFile.all(below: Floors.folder).filter { $0.code.contains("SQL.quoted") }
        #expect(!files.isEmpty)
        #expect(files.count <= 9, "\(files.map(\.path))")
    }
}
