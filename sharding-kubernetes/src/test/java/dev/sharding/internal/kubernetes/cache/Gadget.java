package dev.sharding.internal.kubernetes.cache;

import java.util.List;
import java.util.Map;
import java.util.Set;

import io.fabric8.kubernetes.api.model.Namespaced;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.Version;

/**
 * A custom resource as users write them, with parts that a copier may stumble over.
 */
@Group("example.com")
@Version("v1")
public class Gadget extends CustomResource<Gadget.Spec, Gadget.Status> implements Namespaced {

	private static final long serialVersionUID = 1L;

	/**
	 * A bean.
	 */
	public static class Spec {

		private int size;

		private List<Part> parts;

		private Set<String> colours;

		public int getSize() {
			return this.size;
		}

		public void setSize(int size) {
			this.size = size;
		}

		public List<Part> getParts() {
			return this.parts;
		}

		public void setParts(List<Part> parts) {
			this.parts = parts;
		}

		public Set<String> getColours() {
			return this.colours;
		}

		public void setColours(Set<String> colours) {
			this.colours = colours;
		}

	}

	/**
	 * A record with something modifiable in it.
	 *
	 * @param name a name
	 * @param options modifiable
	 */
	public record Part(String name, Map<String, String> options) {

	}

	/**
	 * A bean.
	 */
	public static class Status {

		private String phase;

		public String getPhase() {
			return this.phase;
		}

		public void setPhase(String phase) {
			this.phase = phase;
		}

	}

}
