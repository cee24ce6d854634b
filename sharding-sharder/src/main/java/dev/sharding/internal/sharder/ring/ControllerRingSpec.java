package dev.sharding.internal.sharder.ring;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import io.fabric8.kubernetes.api.model.LabelSelector;
import org.jspecify.annotations.Nullable;

/**
 * What is shared out.
 *
 * @param resources the main resources
 * @param namespaceSelector selects the namespaces; {@code null} stands for the sharder's
 * default, which it otherwise replaces
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record ControllerRingSpec(List<MainResource> resources, @Nullable LabelSelector namespaceSelector) {

	static final ControllerRingSpec EMPTY = new ControllerRingSpec(List.of(), null);

	public ControllerRingSpec(@Nullable List<MainResource> resources, @Nullable LabelSelector namespaceSelector) {
		this.resources = (resources != null) ? List.copyOf(resources) : List.of();
		this.namespaceSelector = namespaceSelector;
	}

	boolean hasControlledResources() {
		return this.resources.stream().anyMatch((main) -> !main.controlledResources().isEmpty());
	}

	/*
	 * The lists of the API reject what one of them holds twice, not what two of them do.
	 */
	SortedSet<String> listedTwice() {
		Set<String> seen = new HashSet<>();
		SortedSet<String> twice = new TreeSet<>();
		for (MainResource main : this.resources) {
			List<String> names = new ArrayList<>(List.of(name(main.group(), main.resource())));
			main.controlledResources().forEach((child) -> names.add(name(child.group(), child.resource())));
			names.stream().filter((name) -> !seen.add(name)).forEach(twice::add);
		}
		return twice;
	}

	private static String name(String group, String resource) {
		return group.isEmpty() ? resource : resource + "." + group;
	}

	/**
	 * A resource whose objects are distributed by their own identity.
	 *
	 * @param group the API group, "" for the core group
	 * @param resource the plural name
	 * @param controlledResources resources whose objects follow the one that controls
	 * them
	 */
	@JsonInclude(JsonInclude.Include.NON_EMPTY)
	@JsonIgnoreProperties(ignoreUnknown = true)
	public record MainResource(@JsonInclude(JsonInclude.Include.ALWAYS) String group, String resource,
			List<ControlledResource> controlledResources) {

		public MainResource(@Nullable String group, String resource,
				@Nullable List<ControlledResource> controlledResources) {
			this.group = (group != null) ? group : "";
			this.resource = resource;
			this.controlledResources = (controlledResources != null) ? List.copyOf(controlledResources) : List.of();
		}

	}

	/**
	 * A resource whose objects follow the object that controls them.
	 *
	 * @param group the API group, "" for the core group
	 * @param resource the plural name
	 */
	@JsonIgnoreProperties(ignoreUnknown = true)
	public record ControlledResource(String group, String resource) {

		public ControlledResource(@Nullable String group, String resource) {
			this.group = (group != null) ? group : "";
			this.resource = resource;
		}

	}

}
