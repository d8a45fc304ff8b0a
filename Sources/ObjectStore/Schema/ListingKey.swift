extension Listing.Key {
    package init(_ list: Property, of owner: RecordID, in model: ModelSchema, scope: String) {
        self.init(source: model.tableName, owner: owner, relationship: list.name, scope: scope)
    }

    /// The key of a list of all objects.
    package init(_ model: ModelSchema, scope: String) {
        self.init(source: model.modelName, owner: nil, relationship: "", scope: scope)
    }
}
