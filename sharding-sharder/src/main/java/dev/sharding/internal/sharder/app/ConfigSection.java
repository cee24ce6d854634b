package dev.sharding.internal.sharder.app;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * A part of a configuration file that knows what was asked of it, so that a field that
 * nobody reads, such as a misspelt one, is found.
 */
final class ConfigSection {

	private final String path;

	private final Map<String, Object> fields;

	private final Set<String> known = new HashSet<>();

	private final List<ConfigSection> sections = new ArrayList<>();

	private ConfigSection(String path, Map<String, Object> fields) {
		this.path = path;
		this.fields = fields;
	}

	static ConfigSection of(String path, @Nullable Object content) {
		Map<String, Object> fields = new LinkedHashMap<>();
		if (content instanceof Map<?, ?> map) {
			map.forEach((name, value) -> fields.put(String.valueOf(name), value));
		}
		else if (content != null) {
			throw new IllegalArgumentException("'%s' must have fields".formatted(path));
		}
		return new ConfigSection(path, fields);
	}

	ConfigSection section(String name) {
		this.known.add(name);
		ConfigSection section = of(field(name), this.fields.get(name));
		this.sections.add(section);
		return section;
	}

	List<ConfigSection> sections(String name) {
		this.known.add(name);
		List<ConfigSection> found = new ArrayList<>();
		for (Object item : items(name)) {
			found.add(of(field(name), item));
		}
		return found;
	}

	@Nullable String text(String name) {
		this.known.add(name);
		Object value = this.fields.get(name);
		if (value instanceof Map || value instanceof List) {
			throw new IllegalArgumentException("'%s' must be a single value".formatted(field(name)));
		}
		return (value != null) ? value.toString() : null;
	}

	Map<String, String> texts() {
		Map<String, String> texts = new LinkedHashMap<>();
		this.fields.forEach((name, value) -> {
			this.known.add(name);
			texts.put(name, String.valueOf(value));
		});
		return texts;
	}

	List<String> list(String name) {
		this.known.add(name);
		return items(name).stream().map(String::valueOf).toList();
	}

	Address address(String name) {
		String text = text(name);
		if (text == null || text.isEmpty()) {
			return new Address(null, null);
		}
		try {
			int colon = text.lastIndexOf(':');
			String host = (colon > 0) ? text.substring(0, colon) : null;
			return new Address(host, Integer.valueOf(text.substring(colon + 1)));
		}
		catch (NumberFormatException ex) {
			throw new IllegalArgumentException("'%s' must be [address]:port (is %s)".formatted(field(name), text), ex);
		}
	}

	void ignore(String... names) {
		this.known.addAll(List.of(names));
	}

	/** Throws if there is a field here or below that nobody asked for. */
	void refuseUnknown() {
		for (String name : this.fields.keySet()) {
			if (!this.known.contains(name)) {
				throw new IllegalArgumentException("there is no field '%s'".formatted(field(name)));
			}
		}
		this.sections.forEach(ConfigSection::refuseUnknown);
	}

	private List<?> items(String name) {
		Object value = this.fields.get(name);
		if (value == null) {
			return List.of();
		}
		if (value instanceof List<?> list) {
			return list;
		}
		throw new IllegalArgumentException("'%s' must be a list".formatted(field(name)));
	}

	private String field(String name) {
		return this.path.isEmpty() ? name : this.path + "." + name;
	}

	/**
	 * An address to listen on; port 0 disables.
	 */
	record Address(@Nullable String host, @Nullable Integer port) {

		boolean isDisabled() {
			return this.port != null && this.port == 0;
		}

		int portOr(int standard) {
			return (this.port != null) ? this.port : standard;
		}

	}

}
