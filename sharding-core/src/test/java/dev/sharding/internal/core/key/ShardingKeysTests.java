package dev.sharding.internal.core.key;

import java.util.List;
import java.util.stream.Stream;

import dev.sharding.internal.core.Golden;
import dev.sharding.internal.core.key.InvalidShardingKeyException.Reason;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class ShardingKeysTests {

	private static final OwnerRef CONTROLLER = new OwnerRef("operator/v1", "Foo", "foo", "uid", true);

	@TestFactory
	Stream<DynamicTest> derivesGoldenKeys() {
		return Golden.cases("keys").map((vector) -> DynamicTest.dynamicTest(vector.get("case").stringValue(), () -> {
			if (vector.has("error")) {
				Reason reason = Reason.valueOf(vector.get("error").stringValue());
				assertThatExceptionOfType(InvalidShardingKeyException.class).isThrownBy(() -> key(vector))
					.satisfies((ex) -> assertThat(ex.reason()).isEqualTo(reason));
			}
			else {
				ShardingKey key = key(vector);
				assertThat((key != null) ? key.toString() : "").isEqualTo(vector.get("key").stringValue());
			}
		}));
	}

	@Test
	@DisplayName("19/24 key of a main object is its own identity without the version")
	void keyOfMainObjectIsItsOwnIdentity() {
		assertThat(ShardingKeys.ofMain(main("apps/v1", "Deployment", "bar", "foo")))
			.isEqualTo(new ShardingKey("apps", "Deployment", "bar", "foo"))
			.hasToString("apps/Deployment/bar/foo");
	}

	@Test
	@DisplayName("20/30 key of a controlled object is its controller, also behind another owner")
	void keyOfControlledObjectIsItsController() {
		OwnerRef other = new OwnerRef("other/v1", "Bar", "owner", "uid", false);
		assertThat(ShardingKeys.ofControlled(controlled(other, CONTROLLER)))
			.isEqualTo(new ShardingKey("operator", "Foo", "bar", "foo"));
	}

	@Test
	@DisplayName("21 an owner does not change the key of a main object")
	void ownerOfMainObjectIsIgnored() {
		assertThat(ShardingKeys.ofMain(controlled(CONTROLLER))).hasToString("/ConfigMap/bar/x");
	}

	@ParameterizedTest(name = "{0}")
	@CsvSource({ "22 no type meta,,,foo,,TYPE_META_MISSING", "23 no name,v1,Secret,,,NAME_MISSING",
			"23 generateName,v1,Secret,,foo-,GENERATE_NAME_UNSUPPORTED" })
	void refusesIncompleteMainObject(String scenario, String apiVersion, String kind, String name, String generateName,
			Reason reason) {
		ObjectIdentity object = new ObjectIdentity(apiVersion, kind, "bar", name, generateName, List.of());
		assertThatExceptionOfType(InvalidShardingKeyException.class).isThrownBy(() -> ShardingKeys.ofMain(object))
			.satisfies((ex) -> assertThat(ex.reason()).isEqualTo(reason));
	}

	@Test
	@DisplayName("25 without a controller reference there is no key")
	void controlledObjectWithoutControllerHasNoKey() {
		assertThat(ShardingKeys.ofControlled(controlled())).isNull();
		assertThat(ShardingKeys.ofControlled(controlled(new OwnerRef("v1", "Secret", "foo", "uid", false)))).isNull();
	}

	@ParameterizedTest(name = "{0}")
	@CsvSource({ "26 no apiVersion,,Foo,foo,OWNER_API_VERSION_MISSING", "27 no kind,v1,,foo,OWNER_KIND_MISSING",
			"28 no name,v1,Foo,,OWNER_NAME_MISSING", "29 apiVersion invalid,a/b/v1,Foo,foo,OWNER_API_VERSION_INVALID" })
	void refusesIncompleteController(String scenario, String apiVersion, String kind, String name, Reason reason) {
		ObjectIdentity object = controlled(new OwnerRef(apiVersion, kind, name, "uid", true));
		assertThatExceptionOfType(InvalidShardingKeyException.class).isThrownBy(() -> ShardingKeys.ofControlled(object))
			.satisfies((ex) -> assertThat(ex.reason()).isEqualTo(reason));
	}

	@Test
	void errorNamesObjectAndReason() {
		ObjectIdentity object = new ObjectIdentity("apps/v1", "Deployment", "bar", null, "foo-", List.of());
		assertThatExceptionOfType(InvalidShardingKeyException.class).isThrownBy(() -> ShardingKeys.ofMain(object))
			.withMessage("Failed to derive the sharding key of bar/foo-: generateName is not supported"
					+ " for main resources, set metadata.name")
			.satisfies((ex) -> assertThat(ex.object()).isEqualTo("bar/foo-"));
		assertThatExceptionOfType(InvalidShardingKeyException.class)
			.isThrownBy(() -> ShardingKeys.ofMain(main(null, null, null, "foo")))
			.satisfies((ex) -> assertThat(ex.object()).isEqualTo("foo"));
	}

	private static ObjectIdentity main(String apiVersion, String kind, String namespace, String name) {
		return new ObjectIdentity(apiVersion, kind, namespace, name, null, List.of());
	}

	private static ObjectIdentity controlled(OwnerRef... owners) {
		return new ObjectIdentity("v1", "ConfigMap", "bar", "x", null, List.of(owners));
	}

	private static ShardingKey key(JsonNode vector) {
		JsonNode object = vector.get("object");
		JsonNode metadata = object.get("metadata");
		List<OwnerRef> owners = metadata.path("ownerReferences")
			.valueStream()
			.map((owner) -> new OwnerRef(text(owner, "apiVersion"), text(owner, "kind"), text(owner, "name"),
					text(owner, "uid"), owner.path("controller").asBoolean(false)))
			.toList();
		ObjectIdentity identity = new ObjectIdentity(text(object, "apiVersion"), text(object, "kind"),
				text(metadata, "namespace"), text(metadata, "name"), text(metadata, "generateName"), owners);
		return vector.get("func").stringValue().equals("ForObject") ? ShardingKeys.ofMain(identity)
				: ShardingKeys.ofControlled(identity);
	}

	private static String text(JsonNode node, String field) {
		return node.has(field) ? node.get(field).stringValue() : null;
	}

}
