package dev.sharding.qos.spi;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Set;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

public class MatchingTests {

	@ParameterizedTest
	@CsvSource(delimiter = '|', nullValues = "-", textBlock = """
			/api/v1/pods                                  |      | v1 |         | pods        |     |
			/api/v1/namespaces/a/pods                     |      | v1 | a       | pods        |     |
			/api/v1/namespaces/a/pods/p                   |      | v1 | a       | pods        | p   |
			/api/v1/namespaces/a/pods/p/status            |      | v1 | a       | pods        | p   | status
			/apis/apps/v1/namespaces/a/deployments/d      | apps | v1 | a       | deployments | d   |
			/apis/apps/v1/deployments                     | apps | v1 |         | deployments |     |
			/api/v1/namespaces                            |      | v1 |         | namespaces  |     |
			/api/v1/namespaces/a                          |      | v1 |         | namespaces  | a   |
			/api/v1/namespaces/a/finalize                 |      | v1 |         | namespaces  | a   | finalize
			/api/v1/nodes/n/status                        |      | v1 |         | nodes       | n   | status
			/apis/apps/v1/namespaces/a/deployments/d/scale | apps | v1 | a      | deployments | d   | scale
			/apis/sharding.example/v1/widgets/a           | sharding.example | v1 | | widgets     | a   |
			/api/v1/namespaces/a/status                   |      | v1 |         | namespaces  | a   | status
			//api/v1//pods/                               |      | v1 |         | pods        |     |
			""")
	void readsPaths(String path, String group, String version, String namespace, String resource, String name,
			String subresource) {
		RequestTarget target = RequestTarget.parse(path);
		assertThat(target).isNotNull();
		assertThat(List.of(target.group(), target.version(), target.namespace(), target.resource(), target.name(),
				target.subresource()))
			.containsExactly(text(group), version, text(namespace), resource, text(name), text(subresource));
		assertThat(target.isCollection()).isEqualTo(text(name).isEmpty());
	}

	@ParameterizedTest
	@ValueSource(strings = { "/", "", "/healthz", "/api", "/apis/apps", "/apis/apps/v1", "/api/v1", "/version",
			"/openapi/v3" })
	void readsNoTargetFromOtherPaths(String path) {
		assertThat(RequestTarget.parse(path)).isNull();
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			/                             | GET    | /api/v1/namespaces/a/pods/p         | true
			/api                          | GET    | /api/v1/namespaces/a/pods/p         | true
			/api                          | GET    | /apis/apps/v1/deployments           | false
			/api/v1/pods                  | GET    | /api/v1/namespaces/a/pods/p         | true
			/api/v1/pod                   | GET    | /api/v1/namespaces/a/pods/p         | false
			/api/v1/pods                  | LIST   | /api/v1/namespaces/a/podsx          | false
			/api/v2/pods                  | LIST   | /api/v1/pods                        | false
			/apis/apps                    | LIST   | /apis/apps/v1/deployments           | true
			/apis/apps/v1/deployments     | CREATE | /apis/apps/v1/namespaces/a/deployments | true
			/api/v1/namespaces/a          | LIST   | /api/v1/namespaces/a/pods           | true
			/api/v1/namespaces/a          | LIST   | /api/v1/namespaces/b/pods           | false
			/api/v1/namespaces/a          | LIST   | /api/v1/pods                        | true
			/api/v1/namespaces/a          | GET    | /api/v1/namespaces/a                | true
			/api/v1/namespaces/a          | GET    | /api/v1/namespaces/b                | false
			/api/v1/namespaces            | GET    | /api/v1/namespaces/a                | true
			/api/v1/namespaces            | LIST   | /api/v1/namespaces/a/pods           | false
			/api/v1/namespaces/a/pods     | LIST   | /api/v1/pods                        | true
			/api/v1/namespaces/a/pods     | WATCH  | /api/v1/pods                        | true
			/api/v1/namespaces/a/pods     | DELETE_COLLECTION | /api/v1/pods             | false
			/api/v1/namespaces/a/pods     | CREATE | /api/v1/namespaces/b/pods           | false
			/api/v1/namespaces/a/pods/p   | LIST   | /api/v1/namespaces/a/pods           | true
			/api/v1/namespaces/a/pods/p   | LIST   | /api/v1/namespaces/b/pods           | false
			/api/v1/namespaces/a/pods/p   | PATCH  | /api/v1/namespaces/a/pods/p/status  | true
			/api/v1/namespaces/a/pods/p   | PATCH  | /api/v1/namespaces/a/pods/q         | false
			/api/v1/namespaces/a/pods/p   | CREATE | /api/v1/namespaces/a/pods           | false
			/registry/pods                | LIST   | /api/v1/pods                        | true
			registry/events               | CREATE | /apis/events.k8s.io/v1/namespaces/a/events | true
			/registry/pods/a              | LIST   | /api/v1/namespaces/b/pods           | false
			/registry/nodes/n             | GET    | /api/v1/nodes/n                     | true
			/registry/nodes/n             | PATCH  | /api/v1/nodes/n/status              | true
			/registry/nodes/n             | GET    | /api/v1/nodes/m                     | false
			/registry/namespaces/a        | GET    | /api/v1/namespaces/a                | true
			/registry/pods/a              | GET    | /api/v1/namespaces/b/pods/a         | false
			/api/v1/namespaces/n/nodes    | GET    | /api/v1/nodes/n                     | false
			/registry/pods/a/p            | GET    | /api/v1/namespaces/a/pods/p         | true
			/registry/example.com/gadgets | LIST   | /apis/example.com/v1/gadgets        | true
			/registry/example.com/gadgets | LIST   | /apis/example.org/v1/gadgets        | false
			""")
	void matchesWholeSegments(String prefix, Operation operation, String path, boolean expected) {
		RequestTarget target = RequestTarget.parse(path);
		assertThat(target).isNotNull();
		assertThat(PathPrefix.parse(prefix).matches(target, operation)).isEqualTo(expected);
	}

	@ParameterizedTest
	@ValueSource(
			strings = { "/healthz", "pods", "/api/v1/namespaces/a/pods/p/status", "/registry/pods/a/p/x", "/apis" })
	void refusesOtherPrefixes(String prefix) {
		assertThatIllegalArgumentException().isThrownBy(() -> PathPrefix.parse(prefix))
			.withMessageContaining("'" + prefix + "' is no path of the API");
	}

	@ParameterizedTest
	@ValueSource(strings = { "/", "/api", "/api/v1", "/api/v1/pods", "/api/v1/namespaces/a", "/api/v1/namespaces",
			"/api/v1/namespaces/a/pods/p", "/apis/apps", "/apis/apps/v1/deployments", "/registry/pods",
			"/registry/pods/a/p", "/registry/example.com/gadgets/a" })
	void prefixesReadBackTheirText(String text) {
		assertThat(PathPrefix.parse(text).text()).isEqualTo(text);
		assertThat(PathPrefix.parse(PathPrefix.parse(text).text())).isEqualTo(PathPrefix.parse(text));
	}

	@Test
	void matchesSubjects() {
		QosRule rule = rule("r", 1,
				List.of(new Subject(Subject.Kind.CONTROLLER, "checksums"), new Subject(Subject.Kind.USER, "eve")),
				List.of(), Set.of());
		assertThat(rule.selects(request(new Caller("checksums", "", "", "")))).isTrue();
		assertThat(rule.selects(request(new Caller("", "", "eve", "")))).isTrue();
		assertThat(rule.selects(request(new Caller("eve", "", "checksums", "")))).isFalse();
		assertThat(rule.selects(request(Caller.UNKNOWN))).isFalse();
	}

	@ParameterizedTest
	@EnumSource
	void eachKindOfSubjectLooksAtItsOwnName(Subject.Kind kind) {
		Caller caller = new Caller("controller", "service_account", "user", "shard");
		QosRule rule = rule("r", 1, List.of(new Subject(kind, kind.name().toLowerCase(Locale.ROOT))), List.of(),
				Set.of());
		assertThat(rule.selects(request(caller))).isTrue();
		assertThat(rule.selects(request(new Caller("a", "b", "c", "d")))).isFalse();
		assertThat(rule.selects(request(Caller.UNKNOWN))).isFalse();
	}

	@Test
	void accountsBySubjectAndNamespace() {
		QosRequest request = new QosRequest(Operation.GET, target("/api/v1/namespaces/a/pods/p"),
				new Caller("", "ns/sa", "system:serviceaccount:ns:sa", "shard-1"));
		assertThat(Accounting.RULE.keyOf(request)).isEmpty();
		assertThat(Accounting.SUBJECT.keyOf(request)).isEqualTo("ns/sa");
		assertThat(Accounting.NAMESPACE.keyOf(request)).isEqualTo("a");
	}

	@Test
	void accountsToWhomAControllerActsForAndNotToTheController() {
		Caller controller = new Caller("tenants", "ns/sa", "system:serviceaccount:ns:sa", "shard-1");
		assertThat(Accounting.SUBJECT.keyOf(request(controller))).isEqualTo("tenants");
		assertThat(Accounting.SUBJECT.keyOf(request(controller.actingFor("alice")))).isEqualTo("alice");
		assertThat(Accounting.SUBJECT.keyOf(request(controller.actingFor("system:serviceaccount:team:bot"))))
			.isEqualTo("team/bot");
		assertThat(controller.actingFor("system:serviceaccount:ns:sa")).isEqualTo(controller);
	}

	static QosRule rule(String name, int priority, List<Subject> subjects, List<String> paths,
			Set<Operation> operations) {
		return new QosRule(name, true, priority, subjects, paths.stream().map(PathPrefix::parse).toList(), operations,
				List.of(), "class", Cost.REQUESTS, Accounting.RULE, false, "", Duration.ZERO);
	}

	static QosRequest request(Caller caller) {
		return new QosRequest(Operation.LIST, target("/api/v1/pods"), caller);
	}

	public static RequestTarget target(String path) {
		RequestTarget target = RequestTarget.parse(path);
		assertThat(target).isNotNull();
		return target;
	}

	private static String text(String value) {
		return (value != null) ? value : "";
	}

}
