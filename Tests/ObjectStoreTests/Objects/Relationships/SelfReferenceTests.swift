import ObjectStore
import RestfulData
import Testing

/// Relationships of a class with itself, and cycles.
@MainActor
@Suite struct SelfReferenceTests {
    private func makeEmployees(_ count: Int, _ store: Store) -> [Employee] {
        (1...count).map { number in
            let employee = Employee(in: store.main)
            employee.identifier = number
            return employee
        }
    }

    private func numbers(_ employees: [Employee]) -> [Int] { employees.compactMap(\.identifier) }

    @Test func `A tree of one model is imported and edited`() async throws {
        let store = try Store(of: World.models)
        let boss = try #require(
            try await store.main.take(
                Employee.self,
                #"{"id": 1, "reports": [{"id": 2, "reports": [{"id": 4}]}, {"id": 3, "manager": {"id": 1}}]}"#
            ).objects.first)
        #expect(numbers(boss.reports) == [2, 3])
        #expect(numbers(boss.reports[0].reports) == [4])
        let last = boss.reports[0].reports[0]
        #expect(last.manager?.manager === boss)
        last.manager = boss
        #expect(numbers(boss.reports) == [2, 3, 4])
        try await store.main.save()
        #expect(numbers(boss.reports) == [2, 3, 4])
        #expect(numbers(try #require(last.manager).reports) == [2, 3, 4])
    }

    @Test func `Objects that link to each other in a cycle are saved and imported`() async throws {
        let store = try Store(of: World.models)
        let employees = makeEmployees(3, store)
        for (number, employee) in employees.enumerated() { employee.manager = employees[(number + 1) % 3] }
        employees[0].follows = employees
        #expect(numbers(employees[1].reports) == [1])
        #expect(numbers(employees[0].followers) == [1])
        try await store.main.save()
        #expect(employees.map { numbers($0.reports) } == [[3], [1], [2]])
        #expect(employees.map { numbers($0.followers) } == [[1], [1], [1]])
        let imported = try await store.main.take(
            Employee.self, #"{"id": 7, "manager": {"id": 8, "manager": {"id": 7, "manager": {"id": 7}}}}"#
        ).objects.first
        #expect(imported?.manager?.identifier == 8)
        #expect(imported?.manager?.manager === imported)
        #expect(try store.check() == [])
    }

    @Test func `An object may link to itself`() async throws {
        let store = try Store(of: World.models)
        let employee = makeEmployees(1, store)[0]
        employee.manager = employee
        employee.follows = [employee]
        employee.standsInFor = employee
        #expect(employee.reports.first === employee)
        #expect(employee.followers.first === employee)
        #expect(employee.stoodInForBy === employee)
        try await store.main.save()
        #expect(employee.reports.first === employee && employee.stoodInForBy === employee)
        store.main.delete(employee)
        try await store.main.save()
        #expect(try store.dump() == "")
    }

    @Test func `A many-to-many relationship of a model with itself has two directions`() async throws {
        let store = try Store(of: World.models)
        let employees = makeEmployees(3, store)
        employees[0].follows = [employees[2], employees[1]]
        employees[1].followers = [employees[2], employees[0]]
        #expect(numbers(employees[2].follows) == [2])
        #expect(numbers(employees[2].followers) == [1])
        try await store.main.save()
        #expect(employees.map { numbers($0.follows) } == [[3, 2], [], [2]])
        #expect(employees.map { numbers($0.followers) } == [[], [3, 1], [1]])
        try expect(
            store,
            holds: """
                employee
                  1 name= unsent: follows, identifier
                  2 name= unsent: followers, identifier
                  3 name= unsent: identifier
                employee_follows
                  (1) - (2) 1 1
                  (1) - (3) 0 -
                  (3) - (2) - 0
                """)
    }

    @Test func `A one-to-one relationship of a model with itself frees former partners`() async throws {
        let store = try Store(of: World.models)
        let employees = makeEmployees(4, store)
        employees[0].standsInFor = employees[1]
        employees[2].standsInFor = employees[3]
        #expect(employees[1].stoodInForBy === employees[0])
        employees[0].standsInFor = employees[3]
        #expect(employees[1].stoodInForBy == nil)
        #expect(employees[2].standsInFor == nil)
        #expect(employees[3].stoodInForBy === employees[0])
        try await store.main.save()
        #expect(employees.map { $0.standsInFor?.identifier } == [4, nil, nil, nil])
        #expect(employees.map { $0.stoodInForBy?.identifier } == [nil, nil, nil, 1])
    }

    @Test func `A one-to-one relationship of a model with itself follows imports`() async throws {
        let store = try Store(of: World.models)
        let employees = try await store.main.take(
            Employee.self,
            #"[{"id": 1, "stands_in_for": {"id": 2}}, {"id": 2}, {"id": 3}, {"id": 4, "stood_in_for_by": 3}]"#
        ).objects
        #expect(employees.map { $0.standsInFor?.identifier } == [2, nil, 4, nil])
        #expect(employees.map { $0.stoodInForBy?.identifier } == [nil, 1, nil, 3])
        try await store.takeElsewhere(Employee.self, #"[{"id": 1, "stands_in_for": {"id": 4}}]"#)
        #expect(employees.map { $0.standsInFor?.identifier } == [4, nil, nil, nil])
        #expect(employees.map { $0.stoodInForBy?.identifier } == [nil, nil, nil, 1])
    }

    @Test(arguments: [
        #"{"id": 1, "stands_in_for": {"id": 2}, "stood_in_for_by": {"id": 1}}"#,
        #"{"id": 1, "stands_in_for": {"id": 1}, "stood_in_for_by": {"id": 2}}"#,
        #"{"id": 1, "stands_in_for": {"id": 1}, "stood_in_for_by": null}"#,
        #"{"id": 1, "stands_in_for": null, "stood_in_for_by": {"id": 1}}"#,
    ])
    func `Both sides agree when an import contradicts itself about a one-to-one link`(_ body: String) async throws {
        let store = try Store(of: World.models)
        let employees = try await store.main.take(Employee.self, #"[{"id": 1, "stands_in_for": 1}, {"id": 2}]"#).objects
        try await store.main.take(Employee.self, body)
        for employee in employees {
            #expect(employee.standsInFor.map { $0.stoodInForBy === employee } ?? true)
            #expect(employee.stoodInForBy.map { $0.standsInFor === employee } ?? true)
        }
    }
}
