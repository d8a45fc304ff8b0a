import RestfulData

/// Relationships of a class with itself: one to many, many to many, and one to one.
@Model
final class Employee {
    var identifier: Int?
    var name = ""
    var manager: Employee?
    @Relationship(inverse: "manager") var reports: [Employee]
    @Relationship(inverse: "followers") var follows: [Employee]
    @Relationship(inverse: "follows") var followers: [Employee]
    @Relationship(inverse: "stoodInForBy") var standsInFor: Employee?
    @Relationship(inverse: "standsInFor") var stoodInForBy: Employee?
}
