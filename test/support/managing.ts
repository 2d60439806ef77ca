import type { ApiResponse, Request } from './browser.ts';
import { manage } from './requests.ts';
import { exactly } from './scene.ts';
import type { TestShop } from './shop.ts';

/** What an admin asks of a shop: `when(manage.delete(path)).then(204)`. */
export const managing = (shop: () => TestShop) => {
  const when = (request: Request) => shop().given().by(shop().admin).when(request);
  return {
    when,
    /** What a POST made, which must succeed. */
    make: async (path: string, wanted: object): Promise<ApiResponse['body']> =>
      (await when(manage.post(path, wanted)).then(201)).body,
    /** GET shows what the answer to a POST or PUT told. */
    seen: async (path: string, told: ApiResponse['body']): Promise<void> => {
      await when(manage.get(`${path}/${told.id}`))
        .then(200)
        .and(exactly(told));
    },
  };
};
