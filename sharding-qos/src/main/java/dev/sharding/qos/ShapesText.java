package dev.sharding.qos;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import dev.sharding.internal.core.qos.RequestShape;
import dev.sharding.internal.core.qos.RequestShape.VersionKind;
import dev.sharding.internal.kubernetes.qos.RememberedShape;
import dev.sharding.qos.spi.Operation;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;

/**
 * What is remembered of the shapes of requests as a text, in JSON.
 */
final class ShapesText {

	/* Those seen last: a text of some tens of kilobytes. */
	private static final int MOST = 200;

	private static final int LONGEST = 256 * 1024;

	private ShapesText() {
	}

	/**
	 * Puts together what several processes remember.
	 * @return of each shape what was seen last, and of those the last ones
	 */
	static List<RememberedShape> merge(Collection<RememberedShape> some, Collection<RememberedShape> others) {
		Map<RequestShape, RememberedShape> latest = new HashMap<>();
		for (Collection<RememberedShape> each : List.of(some, others)) {
			each.forEach((one) -> latest.merge(one.shape(), one,
					(left, right) -> left.seen().isBefore(right.seen()) ? right : left));
		}
		return latest.values()
			.stream()
			.sorted(Comparator.comparing(RememberedShape::seen).reversed())
			.limit(MOST)
			.toList();
	}

	/** Writes them, the first ones if it became too long otherwise. */
	static String write(List<RememberedShape> shapes, KubernetesSerialization serialization) {
		String text = serialization.asJson(shapes.stream().map(ShapesText::map).toList());
		return (text.length() <= LONGEST) ? text : write(shapes.subList(0, shapes.size() / 2), serialization);
	}

	private static Map<String, Object> map(RememberedShape remembered) {
		RequestShape shape = remembered.shape();
		Map<String, Object> map = new LinkedHashMap<>();
		map.put("operation", shape.operation().name());
		map.put("group", shape.group());
		map.put("resource", shape.resource());
		map.put("namespace", shape.namespace());
		map.put("labelSelector", shape.labelSelector());
		map.put("fieldSelector", shape.fieldSelector());
		map.put("limit", shape.limit());
		map.put("version", shape.versionKind().name());
		map.put("items", number(remembered.items()));
		map.put("responseBytes", number(remembered.responseBytes()));
		map.put("latencyMillis", number(remembered.latencyMillis()));
		map.put("failures", number(remembered.failures()));
		map.put("seen", remembered.seen().truncatedTo(ChronoUnit.SECONDS).toString());
		map.values().removeIf((value) -> value.equals("") || value.equals("NaN"));
		return map;
	}

	/* JSON has no such number. */
	private static Object number(double value) {
		return Double.isFinite(value) ? (Object) value : "NaN";
	}

	/**
	 * Reads them.
	 * @throws RuntimeException if it is no such text
	 */
	static List<RememberedShape> parse(String text, KubernetesSerialization serialization) {
		List<RememberedShape> shapes = new ArrayList<>();
		for (Object one : serialization.unmarshal(text, List.class)) {
			Map<?, ?> map = (Map<?, ?>) one;
			shapes.add(new RememberedShape(
					new RequestShape(Operation.valueOf(text(map, "operation")), text(map, "group"),
							text(map, "resource"), text(map, "namespace"), text(map, "labelSelector"),
							text(map, "fieldSelector"), text(map, "limit"), VersionKind.valueOf(text(map, "version"))),
					number(map, "items"), number(map, "responseBytes"), number(map, "latencyMillis"),
					number(map, "failures"), Instant.parse(text(map, "seen"))));
		}
		return shapes;
	}

	private static String text(Map<?, ?> map, String key) {
		return (map.get(key) instanceof String text) ? text : "";
	}

	private static double number(Map<?, ?> map, String key) {
		return (map.get(key) instanceof Number number) ? number.doubleValue() : Double.NaN;
	}

}
