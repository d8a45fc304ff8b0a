import JSONBytes

extension Importer {
    /// The reply's target was deleted locally since, and stays so. The reply to its creation completes a deletion that
    /// waits for the identity.
    ///
    /// - Throws: ``StoreError/rejected(_:)`` if the identity is missing.
    mutating func confirmDeleted(_ record: RecordID, _ bytes: UnsafeRawBufferPointer) throws {
        guard request.isCreation, let rows = try writer.undecidedDeletion(of: record) else { return }
        let model = schema.model(of: rows, in: record.table)
        let body = unsafe Array(bytes)
        let attributes = model.properties.filter { $0.column != nil && $0.link == nil }.map(\.index)
        var reader = ObjectReader(schema)
        var paths = [request.keyPath]
        if schema.style(of: model).document == .jsonAPI { paths.insert(["data"], at: 0) }
        var found: PropertyValues?
        for path in paths {
            guard let values = try reader.attributes(attributes, in: body, at: path, of: model) else { continue }
            if try writer.settleDeletion(of: record, by: values, &progress) { return }
            found = values
        }
        throw StoreError.rejected(Self.report(ofMissingIdentity: model, in: found))
    }

    private static func report(ofMissingIdentity model: ModelSchema, in found: PropertyValues?) -> ImportReport {
        let parts = model.identity.map { model[$0] }
        let missing = parts.last { $0.link == nil && found?.attributes[$0.name]?.isNull ?? true } ?? parts.last
        let key = missing?.jsonPath.joined(separator: ".") ?? ""
        return ImportReport(
            rejecting: ImportReport.Rejection(
                path: "the body", model: model.modelName, reason: .noIdentity(missing: key)))
    }
}
